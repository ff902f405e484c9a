# terminally_options: what every target of ours is compiled with.
add_library(terminally_options INTERFACE)
target_include_directories(terminally_options INTERFACE ${CMAKE_SOURCE_DIR}/src)
# An object names its sources from the checkout on: it is the same in each checkout, and gdb finds them from there.
add_compile_options(-ffile-prefix-map=${CMAKE_SOURCE_DIR}=.)
target_compile_options(terminally_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wold-style-cast -Wnon-virtual-dtor -Woverloaded-virtual)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 sees overlaps and overflows that are not there in `"literal" + std::to_string(n)` when it optimises (GCC bug 105651).
  target_compile_options(terminally_options INTERFACE -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds)
  # At -O1 it inlines the delete of a coroutine's frame, and not the new beside it.
  target_compile_options(terminally_options INTERFACE -Wno-mismatched-new-delete)
  if(CMAKE_UNITY_BUILD)
    # In one file with others, what is in an unnamed namespace seems to be a header's.
    target_compile_options(terminally_options INTERFACE -Wno-subobject-linkage)
  endif()
endif()
target_link_options(terminally_options INTERFACE LINKER:--build-id=sha1)  # `--version` tells it
if(TERMINALLY_STATIC)
  target_compile_options(terminally_options INTERFACE -fPIE)
endif()
if(TERMINALLY_WERROR)
  target_compile_options(terminally_options INTERFACE -Werror)
endif()

if(TERMINALLY_SANITIZE)
  target_compile_options(terminally_options INTERFACE -fsanitize=${TERMINALLY_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer
    $<$<BOOL:$<TARGET_PROPERTY:TERMINALLY_TESTS>>:-fno-sanitize=undefined>)
  target_link_options(terminally_options INTERFACE -fsanitize=${TERMINALLY_SANITIZE})
  if(TERMINALLY_SANITIZE MATCHES "undefined" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # What it says of each place in the source is 100 MB with four million addresses, which each start would relocate.
    target_link_options(terminally_options INTERFACE -no-pie)
  endif()
  if(TERMINALLY_SANITIZE STREQUAL "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(terminally_options INTERFACE -Wno-tsan)  # Asio's fences warn
  endif()
endif()
