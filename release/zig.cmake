# Zig, which the package registry has, as the compiler: ZIG is its path and ZIG_TARGET the machine to compile for, such as
# x86_64-linux-gnu.2.17. It brings the headers of each system along, and its C++ library becomes part of what is linked.
set(CMAKE_CXX_COMPILER "$ENV{ZIG}" c++ -target "$ENV{ZIG_TARGET}")
set(CMAKE_CXX_ARCHIVE_CREATE "\"$ENV{ZIG}\" ar qc <TARGET> <LINK_FLAGS> <OBJECTS>")
set(CMAKE_CXX_ARCHIVE_FINISH "\"$ENV{ZIG}\" ranlib <TARGET>")
