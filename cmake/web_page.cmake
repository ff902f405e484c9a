# TERMINALLY_WEB: whether the page of web/ is built and put into the program. It needs Node.js and npm, and a registry for what
# web/package-lock.json names.
find_program(TERMINALLY_NPM npm)
if(TERMINALLY_NPM AND EXISTS ${CMAKE_SOURCE_DIR}/web/package-lock.json)
  set(can_have_page ON)
else()
  set(can_have_page OFF)
endif()
option(TERMINALLY_WEB "Put the browser page into terminally-mcp; needs npm" ${can_have_page})
mark_as_advanced(TERMINALLY_NPM)

# terminally_web_page(TARGET): gives TARGET the page.
function(terminally_web_page target)
  if(NOT TERMINALLY_WEB)
    terminally_web_files(${target})
    return()
  endif()
  if(NOT TERMINALLY_NPM)
    message(FATAL_ERROR "The browser page needs npm: install it (Debian: apt-get install npm), or build without the page: -DTERMINALLY_WEB=OFF")
  endif()
  set(web ${CMAKE_SOURCE_DIR}/web)
  set(dist ${CMAKE_BINARY_DIR}/web)
  set(installed ${CMAKE_BINARY_DIR}/web.installed)
  set(built ${CMAKE_BINARY_DIR}/web.built)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${web}/src/*)
  add_custom_command(OUTPUT ${installed} DEPENDS ${web}/package.json ${web}/package-lock.json WORKING_DIRECTORY ${web} VERBATIM
    COMMENT "Installing what builds the browser page (without the page: -DTERMINALLY_WEB=OFF)"
    COMMAND ${TERMINALLY_NPM} ci --ignore-scripts --no-audit --no-fund --loglevel=error
    COMMAND ${CMAKE_COMMAND} -E touch ${installed})
  add_custom_command(OUTPUT ${built} DEPENDS ${installed} ${sources} ${web}/build.mjs WORKING_DIRECTORY ${web} VERBATIM
    COMMENT "Building the browser page"
    COMMAND ${TERMINALLY_NPM} run --silent build -- ${dist}
    COMMAND ${CMAKE_COMMAND} -E touch ${built})
  terminally_web_files(${target} ${dist} DEPENDS ${built})
endfunction()
