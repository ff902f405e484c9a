# terminally_pack_helpers(TARGET PROGRAM...): gives TARGET the function packed_helpers() (src/instance/helpers.hpp). With
# TERMINALLY_STATIC, TARGET runs on any Linux of its architecture, and has these programs inside, which are built first; else none.
set(pack_helpers_script ${CMAKE_CURRENT_LIST_FILE})
function(terminally_pack_helpers target)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/packed_helpers.${target}.cpp)
  if(TERMINALLY_STATIC)
    set(files "")
    foreach(program IN LISTS ARGN)
      list(APPEND files $<TARGET_FILE:${program}>)
    endforeach()
    target_link_options(${target} PRIVATE -static-pie LINKER:--strip-all
      LINKER:--fatal-warnings)  # where something would ask for libraries at run time
    add_custom_command(OUTPUT ${source} DEPENDS ${files} ${pack_helpers_script} VERBATIM
      COMMAND ${CMAKE_COMMAND} -D source=${source} -D "files=${files}" -P ${pack_helpers_script})
  else()  # now: who reads the sources without a build needs it
    execute_process(COMMAND ${CMAKE_COMMAND} -D source=${source} -P ${pack_helpers_script} COMMAND_ERROR_IS_FATAL ANY)
  endif()
  target_sources(${target} PRIVATE ${source})
  set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

if(NOT CMAKE_SCRIPT_MODE_FILE)
  return()
endif()

# As a script: writes that source. The assembler takes the bytes from the files.
set(hashes "")
set(assembled "")
set(declared "")
set(rows "")
set(number 0)
foreach(file IN LISTS files)
  cmake_path(GET file FILENAME name)
  file(SHA256 ${file} hash)
  string(APPEND hashes ${hash})
  # Global: where the address of a local one stands in a table, the linker for aarch64 takes that of its section.
  string(APPEND assembled "    \".globl terminally_packed_${number}, terminally_packed_${number}_end\\n\"\n")
  string(APPEND assembled "    \"terminally_packed_${number}:\\n.incbin \\\"${file}\\\"\\nterminally_packed_${number}_end:\\n\"\n")
  string(APPEND declared "extern const char terminally_packed_${number}[];\nextern const char terminally_packed_${number}_end[];\n")
  string(APPEND rows "    {\"${name}\", {terminally_packed_${number}, terminally_packed_${number}_end}},\n")
  math(EXPR number "${number} + 1")
endforeach()
set(text "#include \"instance/helpers.hpp\"\n\n")
if(number EQUAL 0)
  string(APPEND text "terminally::PackedHelpers terminally::packed_helpers() {\n  return {};\n}\n")
else()
  string(SHA256 hash "${hashes}")
  string(SUBSTRING ${hash} 0 16 hash)
  string(APPEND text
    "asm(\".pushsection .rodata\\n\"\n${assembled}    \".popsection\\n\");\n"
    "extern \"C\" {\n${declared}}\n\n"
    "terminally::PackedHelpers terminally::packed_helpers() {\n"
    "  static const terminally::PackedHelper packed[] = {\n${rows}  };\n  return {\"${hash}\", packed};\n}\n")
endif()
file(WRITE ${source} "${text}")
