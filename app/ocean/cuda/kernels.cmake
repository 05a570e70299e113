# The ocean's CUDA kernels, compiled in as text: PTX of an old virtual architecture, which the driver compiles for its own
# GPU when it loads it. Without an nvcc that does this the text is empty, and the program says so. Sets `embedded_kernels`.
set(kernel_source ${CMAKE_CURRENT_SOURCE_DIR}/ocean/cuda/step.cu)
set(kernel_ptx ${CMAKE_CURRENT_BINARY_DIR}/step.ptx)
set(embedded_kernels ${CMAKE_CURRENT_BINARY_DIR}/embedded_cuda_step.cpp)
if(NOT SPINDRIFT_CUDA STREQUAL "OFF")
  find_package(CUDAToolkit QUIET)
endif()

# What loads them came with the runtime of CUDA 12.8.
set(compile_kernels "")
if(CUDAToolkit_NVCC_EXECUTABLE AND CUDAToolkit_VERSION VERSION_GREATER_EQUAL 12.8)
  set(compile_kernels ${CUDAToolkit_NVCC_EXECUTABLE} --ptx --gpu-architecture=compute_75 --std=c++17
                      -I ${PROJECT_SOURCE_DIR} ${kernel_source})
  # An nvcc may be there and refuse: its host compiler is too new, or it has forgotten the architecture. Tried once.
  if(NOT SPINDRIFT_TRIED_NVCC STREQUAL "${CUDAToolkit_NVCC_EXECUTABLE}")
    execute_process(COMMAND ${compile_kernels} -o ${kernel_ptx} RESULT_VARIABLE nvcc_result ERROR_VARIABLE nvcc_errors
                    OUTPUT_QUIET)
    set(SPINDRIFT_TRIED_NVCC "${CUDAToolkit_NVCC_EXECUTABLE}" CACHE INTERNAL "The nvcc that was tried")
    set(SPINDRIFT_NVCC_RESULT "${nvcc_result}" CACHE INTERNAL "What it said to the ocean's kernels")
    if(NOT nvcc_result STREQUAL "0")
      message(STATUS "${CUDAToolkit_NVCC_EXECUTABLE} does not compile the ocean's kernels:\n${nvcc_errors}")
    endif()
  endif()
endif()

if(compile_kernels AND SPINDRIFT_NVCC_RESULT STREQUAL "0")
  message(STATUS "nvcc: the ocean's CUDA kernels are built in")
  add_custom_command(
    OUTPUT ${kernel_ptx}
    COMMAND ${compile_kernels} -o ${kernel_ptx}
    DEPENDS ${kernel_source} ${CMAKE_CURRENT_SOURCE_DIR}/ocean/cuda/step_parameters.h
    COMMENT "Compiling CUDA kernels"
    VERBATIM)
else()
  message(STATUS "No nvcc of CUDA 12.8 or newer that compiles them: this build has no CUDA kernels of the sea")
  set(kernel_ptx "")
endif()
add_custom_command(
  OUTPUT ${embedded_kernels}
  COMMAND ${CMAKE_COMMAND} "-DPTX=${kernel_ptx}" -DOUTPUT=${embedded_kernels}
          -P ${CMAKE_CURRENT_SOURCE_DIR}/ocean/cuda/embed_kernels.cmake
  DEPENDS ${kernel_ptx} ${CMAKE_CURRENT_SOURCE_DIR}/ocean/cuda/embed_kernels.cmake
  COMMENT "Embedding CUDA kernels"
  VERBATIM)
