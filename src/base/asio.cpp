// Asio's own functions that are no templates, compiled here once and in no other file.
#include <boost/asio/impl/src.hpp>
