# The whole build vocabulary of the project: four functions and the flags they share.

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

# glint_plugins(glint_ops TYPE glint::OpFamily HEADER glint/core/op_def.h NAMESPACE glint::ops PREFIX op LIST kOps)
# - one symbol per file in the folder, listed in a generated table (LIST, a span-able array, and LISTCount).
function(glint_plugins target)
  cmake_parse_arguments(P "" "TYPE;HEADER;NAMESPACE;PREFIX;LIST" "" ${ARGN})
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  list(FILTER files EXCLUDE REGEX "_(test|bench|fuzz)\\.cc$")
  foreach(file IN LISTS files)
    get_filename_component(stem ${file} NAME_WE)
    string(APPEND declared "extern const ${P_TYPE} ${P_PREFIX}_${stem};\n")
    string(APPEND listed "    &${P_PREFIX}_${stem},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${target}_table.cc CONTENT
"#include \"@P_HEADER@\"
namespace @P_NAMESPACE@ {
@declared@
extern constinit const @P_TYPE@* const @P_LIST@[];
extern constinit const unsigned @P_LIST@Count;
constinit const @P_TYPE@* const @P_LIST@[] = {
@listed@};
constinit const unsigned @P_LIST@Count = sizeof(@P_LIST@) / sizeof(*@P_LIST@);
}  // namespace
" @ONLY)
  target_sources(${target} PRIVATE ${files} ${CMAKE_CURRENT_BINARY_DIR}/${target}_table.cc)
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
