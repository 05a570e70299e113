# cmake -DSOURCE_DIR=... -DFILES=a|b -DOUTPUT=... -P embed.cmake
string(REPLACE "|" ";" FILES "${FILES}")
set(content "// Generated from shaders/ by embed.cmake.\n#include \"engine/gl/shader_source.h\"\n\n")
string(APPEND content "const std::map<std::string, std::string_view>& spindrift::gl::detail::embedded_shaders() {\n")
string(APPEND content "    static const std::map<std::string, std::string_view> files{\n")
foreach(file IN LISTS FILES)
  file(READ ${SOURCE_DIR}/${file} text)
  # Compilers accept string literals of 64 KiB at least; no shader file comes near.
  string(APPEND content "        {\"${file}\", R\"GLSL(${text})GLSL\"},\n")
endforeach()
string(APPEND content "    };\n    return files;\n}\n")
file(WRITE ${OUTPUT}.new "${content}")
file(RENAME ${OUTPUT}.new ${OUTPUT})
