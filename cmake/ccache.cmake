# Compiles through ccache where it is installed, so that a second checkout, in whatever folder, compiles nothing that the first one did:
# paths below the checkout count as relative, and the folder itself does not count. The sloppiness is what ccache asks for where there is a
# precompiled header (its manual, "Precompiled headers"). With clang there is none: ccache 4.7 takes its path for another text in each folder.
if(CMAKE_CXX_COMPILER_LAUNCHER)
  return()
endif()
find_program(ccache ccache NO_CACHE)
if(ccache)  # it may have no directory to write to, and then compiles nothing at all
  file(WRITE ${CMAKE_BINARY_DIR}/empty.cpp "")
  execute_process(COMMAND ${ccache} ${CMAKE_CXX_COMPILER} -c ${CMAKE_BINARY_DIR}/empty.cpp -o ${CMAKE_BINARY_DIR}/empty.o
    RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
  if(NOT result EQUAL 0)
    message(STATUS "ccache cannot be used here, so each compilation is made anew")
    return()
  endif()
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${ccache})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
  endif()
endif()
