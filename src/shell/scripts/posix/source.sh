# The typed line. What is sourced is no file yet.
# shellcheck disable=SC1091
\. __FILE__
