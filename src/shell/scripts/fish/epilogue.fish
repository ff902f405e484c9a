# The last line of a text that is complete: takes `$pipestatus` down. `set` leaves `$status` as it is.
set -g __VAR__p $pipestatus
