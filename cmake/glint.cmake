# The whole build vocabulary of the project: a handful of functions and the flags they share.

set(GLINT_WARNINGS -Wall -Wextra -Werror -Wno-missing-field-initializers)
set(GLINT_DEVICE_FLAGS -fno-exceptions -fno-rtti)
# Host code sees device classes, that have no type information for UBSan's check of it.
set(GLINT_HOST_FLAGS "")
if(GLINT_SANITIZE)
  set(GLINT_HOST_FLAGS -fno-sanitize=vptr)
endif()

# glint_module(NAME core SOURCES shape.cc DEPS base [HOST]) - a folder as library glint::core.
# Device folders compile without exceptions and RTTI; HOST lifts that. Installed, with its headers' folder, for find_package(glint).
function(glint_module)
  cmake_parse_arguments(M "HOST" "NAME" "SOURCES;DEPS" ${ARGN})
  add_library(glint_${M_NAME} STATIC ${M_SOURCES})
  add_library(glint::${M_NAME} ALIAS glint_${M_NAME})
  list(TRANSFORM M_DEPS PREPEND glint::)
  target_link_libraries(glint_${M_NAME} PUBLIC ${M_DEPS})
  target_include_directories(glint_${M_NAME} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:include> PRIVATE ${PROJECT_BINARY_DIR}/generated)
  target_compile_features(glint_${M_NAME} PUBLIC cxx_std_20)
  set_target_properties(glint_${M_NAME} PROPERTIES EXPORT_NAME ${M_NAME})
  install(TARGETS glint_${M_NAME} EXPORT glint ARCHIVE DESTINATION lib)
  target_compile_options(glint_${M_NAME} PRIVATE ${GLINT_WARNINGS})
  if(M_HOST)
    target_compile_options(glint_${M_NAME} PRIVATE ${GLINT_HOST_FLAGS})
  else()
    target_compile_options(glint_${M_NAME} PRIVATE ${GLINT_DEVICE_FLAGS})
  endif()
endfunction()

# glint_schemas(DIRECTORY glint/format SCHEMAS program OUTPUTS generated) - FlatBuffers schemas of this folder as headers,
# included as DIRECTORY/<schema>_generated.h; their paths go to the variable that OUTPUTS names.
find_program(GLINT_FLATC flatc REQUIRED)
function(glint_schemas)
  cmake_parse_arguments(S "" "DIRECTORY;OUTPUTS" "SCHEMAS" ${ARGN})
  set(out ${PROJECT_BINARY_DIR}/generated/${S_DIRECTORY})
  foreach(schema IN LISTS S_SCHEMAS)
    add_custom_command(OUTPUT ${out}/${schema}_generated.h
      COMMAND ${GLINT_FLATC} --cpp --scoped-enums -o ${out} ${CMAKE_CURRENT_SOURCE_DIR}/${schema}.fbs
      DEPENDS ${schema}.fbs VERBATIM)
    list(APPEND generated ${out}/${schema}_generated.h)
  endforeach()
  set(${S_OUTPUTS} ${generated} PARENT_SCOPE)
endfunction()

# glint_simd_sources(glint_kernels SOURCES a.simd.cc ISAS scalar avx2) - compiles
# every source once per ISA, with Highway's static dispatch, and links the objects into the target.
function(glint_simd_sources target)
  cmake_parse_arguments(S "" "" "SOURCES;ISAS" ${ARGN})
  set(flags_scalar -DHWY_COMPILE_ONLY_SCALAR)
  set(flags_avx2 -DHWY_COMPILE_ONLY_STATIC -mavx2 -mfma -mf16c -mbmi -mbmi2 -mpclmul -maes -mlzcnt)
  set(flags_avx512 ${flags_avx2} -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512cd)
  set(flags_neon -DHWY_COMPILE_ONLY_STATIC)
  foreach(isa IN LISTS S_ISAS)
    add_library(${target}_${isa} OBJECT ${S_SOURCES})
    target_include_directories(${target}_${isa} PRIVATE ${PROJECT_SOURCE_DIR})
    target_compile_definitions(${target}_${isa} PRIVATE GLINT_ISA=${isa})
    target_compile_options(${target}_${isa} PRIVATE ${GLINT_WARNINGS} ${GLINT_DEVICE_FLAGS} ${flags_${isa}} -fno-math-errno -ffp-contract=off)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_${isa}>)
    if(CMAKE_BUILD_TYPE STREQUAL "Release" AND GLINT_TESTS)
      add_test(NAME isa_leak_${target}_${isa} COMMAND ${PROJECT_SOURCE_DIR}/cmake/isa_leak.sh ${isa} $<TARGET_OBJECTS:${target}_${isa}>)
      set_tests_properties(isa_leak_${target}_${isa} PROPERTIES COMMAND_EXPAND_LISTS TRUE)
    endif()
  endforeach()
endfunction()

# Writes a table of plug-ins: LIST, an array of pointers to PREFIX_<stem>, LISTCount, and LISTNames, the stems.
function(glint_plugin_table output)
  cmake_parse_arguments(P "" "TYPE;HEADER;NAMESPACE;PREFIX;LIST" "STEMS" ${ARGN})
  foreach(stem IN LISTS P_STEMS)
    string(APPEND declared "extern const ${P_TYPE} ${P_PREFIX}_${stem};\n")
    string(APPEND listed "    &${P_PREFIX}_${stem},\n")
    string(APPEND named "    \"${stem}\",\n")
  endforeach()
  file(CONFIGURE OUTPUT ${output} CONTENT
"#include \"@P_HEADER@\"
namespace @P_NAMESPACE@ {
@declared@
extern constinit const @P_TYPE@* const @P_LIST@[];
extern constinit const unsigned @P_LIST@Count;
extern constinit const char* const @P_LIST@Names[];
constinit const @P_TYPE@* const @P_LIST@[] = {
@listed@};
constinit const unsigned @P_LIST@Count = sizeof(@P_LIST@) / sizeof(*@P_LIST@);
constinit const char* const @P_LIST@Names[] = {
@named@};
}  // namespace
" @ONLY)
endfunction()

# glint_plugins(glint_ops TYPE glint::OpFamily HEADER glint/core/op_def.h NAMESPACE glint::ops PREFIX op LIST kOps)
# - one symbol per file in the folder, listed in a generated table (glint_plugin_table).
function(glint_plugins target)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  list(FILTER files EXCLUDE REGEX "_(test|bench|fuzz)\\.cc$")
  foreach(file IN LISTS files)
    get_filename_component(stem ${file} NAME_WE)
    list(APPEND stems ${stem})
  endforeach()
  glint_plugin_table(${target}_table.cc ${ARGN} STEMS ${stems})
  target_sources(${target} PRIVATE ${files} ${CMAKE_CURRENT_BINARY_DIR}/${target}_table.cc)
endfunction()

# glint_device(NAME mobile [OPERATORS mobile.ops] [BACKENDS xnnpack] [SCALAR]) - the device half once more, as one static library
# `mobile` that is optimised for size and holds only the operators of a list, which `glint select` writes (without one: all);
# glint::ops::all() is its table. SCALAR leaves out the vector instructions. For projects that have Glint as a subdirectory.
function(glint_device)
  cmake_parse_arguments(D "SCALAR" "NAME;OPERATORS" "BACKENDS" ${ARGN})
  set(root ${glint_SOURCE_DIR}/glint)
  foreach(folder base core format runtime kernels ${D_BACKENDS})
    set(path ${folder})
    set(owner glint_${folder})
    if(folder IN_LIST D_BACKENDS)
      set(path backends/${folder})
      set(owner glint_backend_${folder})
    endif()
    get_target_property(files ${owner} SOURCES)
    list(FILTER files INCLUDE REGEX "^[^$/].*\\.cc$")
    list(TRANSFORM files PREPEND ${root}/${path}/)
    list(APPEND sources ${files})
  endforeach()
  set(isas ${GLINT_ISAS})
  if(D_SCALAR)
    set(isas scalar)
  endif()
  foreach(isa IN LISTS isas)
    list(APPEND sources $<TARGET_OBJECTS:glint_kernels_${isa}>)
  endforeach()
  if(D_OPERATORS)
    get_filename_component(list ${D_OPERATORS} ABSOLUTE)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
    file(STRINGS ${list} lines REGEX "^[^#]")
    foreach(line IN LISTS lines)
      string(REGEX MATCH "^([a-z0-9_]+) ([A-Za-z0-9_:.]+)$" both "${line}")
      if(NOT both OR NOT EXISTS ${root}/ops/${CMAKE_MATCH_1}.cc)
        message(FATAL_ERROR "${list}: '${line}' is not a file of glint/ops and an operator")
      endif()
      list(APPEND stems ${CMAKE_MATCH_1})
      string(APPEND selected "\"${CMAKE_MATCH_2}\",\n")
    endforeach()
    list(REMOVE_DUPLICATES stems)
    file(CONFIGURE OUTPUT ${D_NAME}_selection.inc CONTENT "${selected}" @ONLY)
  else()
    file(GLOB files CONFIGURE_DEPENDS ${root}/ops/*.cc)
    list(FILTER files EXCLUDE REGEX "_(test|bench|fuzz)\\.cc$")
    foreach(file IN LISTS files)
      get_filename_component(stem ${file} NAME_WE)
      list(APPEND stems ${stem})
    endforeach()
  endif()
  glint_plugin_table(${D_NAME}_table.cc TYPE glint::OpFamily HEADER glint/core/op_def.h NAMESPACE glint::ops PREFIX op LIST kOps STEMS ${stems})
  list(TRANSFORM stems REPLACE "(.+)" "${root}/ops/\\1.cc")
  add_library(${D_NAME} STATIC ${sources} ${stems} ${CMAKE_CURRENT_BINARY_DIR}/${D_NAME}_table.cc)
  target_include_directories(${D_NAME} PUBLIC ${glint_SOURCE_DIR} PRIVATE ${glint_BINARY_DIR}/generated)
  target_compile_features(${D_NAME} PUBLIC cxx_std_20)
  target_compile_options(${D_NAME} PRIVATE ${GLINT_WARNINGS} ${GLINT_DEVICE_FLAGS} -Os -ffunction-sections -fdata-sections -fno-unwind-tables
    -fno-asynchronous-unwind-tables)
  target_link_options(${D_NAME} INTERFACE -Wl,--gc-sections)
  if(D_OPERATORS)
    target_compile_definitions(${D_NAME} PRIVATE GLINT_OPERATOR_SELECTION="${CMAKE_CURRENT_BINARY_DIR}/${D_NAME}_selection.inc")
  endif()
  if(D_SCALAR)
    target_compile_definitions(${D_NAME} PUBLIC GLINT_SCALAR_ONLY)
  endif()
  foreach(schemas glint_format_schemas ${D_BACKENDS})
    if(schemas IN_LIST D_BACKENDS)
      set(schemas glint_backend_${schemas}_schemas)
    endif()
    add_dependencies(${D_NAME} ${schemas})
  endforeach()
endfunction()

# glint_tests(NAME ops [SOURCES ...] DEPS ops kernels) - one executable for the folder's
# *_test.cc (or SOURCES), registered as one ctest.
function(glint_tests)
  if(NOT GLINT_TESTS)
    return()
  endif()
  cmake_parse_arguments(T "" "NAME" "SOURCES;DEPS" ${ARGN})
  if(NOT T_SOURCES)
    file(GLOB T_SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*_test.cc)
  endif()
  if(NOT T_SOURCES)
    return()
  endif()
  add_executable(${T_NAME}_test ${T_SOURCES})
  list(TRANSFORM T_DEPS PREPEND glint::)
  target_link_libraries(${T_NAME}_test PRIVATE ${T_DEPS} GTest::gtest_main)
  target_compile_options(${T_NAME}_test PRIVATE ${GLINT_WARNINGS} ${GLINT_HOST_FLAGS} -O1)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${T_NAME}_test PRIVATE -Wno-array-bounds -Wno-stringop-overflow -Wno-maybe-uninitialized)  # GCC 14 sees some that are none
  endif()
  target_compile_definitions(${T_NAME}_test PRIVATE GLINT_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_precompile_headers(${T_NAME}_test PRIVATE <gtest/gtest.h>)
  add_test(NAME ${T_NAME} COMMAND ${T_NAME}_test)
endfunction()
