# Compiles through ccache where it is installed, so that a second checkout, in whatever folder, compiles nothing that the first one did:
# paths below the checkout count as relative, and the folder itself does not count. The sloppiness is what ccache asks for where there is a
# precompiled header (its manual, "Precompiled headers"); clang needs -fno-pch-timestamp for the same. `__FILE__`, which each check of a unit
# test has, is the file's name alone: with its folder no object of a test would be the same in two checkouts.
find_program(TERMINALLY_CCACHE ccache)
if(TERMINALLY_CCACHE)
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${TERMINALLY_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
  add_compile_options(-Wno-builtin-macro-redefined -D__FILE__=__FILE_NAME__)
  add_compile_options("$<$<COMPILE_LANG_AND_ID:CXX,Clang>:SHELL:-Xclang -fno-pch-timestamp>")
endif()
