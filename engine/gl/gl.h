// The OpenGL entry points. Included by .cpp files only; headers use the types of engine/gl.
#pragma once

#include <glad/gl.h>
