// Preloaded into a process, it makes one of its system calls go wrong: the one after so many others that are counted.
// Writes count if they go to a file (not to a pipe or a terminal), and memory if SQLite asks for it.
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstring>

extern "C" void* __libc_malloc(std::size_t size);
extern "C" void* __libc_realloc(void* memory, std::size_t size);

namespace {

enum Call : unsigned {
    opening = 1,
    writing = 2,
    flushing = 4,
    truncating = 8,
    renaming = 16,
    removing = 32,
    memory = 64
};
// An error once, an error from then on, the process killed, or killed with half of what it writes in the file.
enum How : int { once, lasting, killed, torn };

std::atomic<unsigned> calls{0};  // those that are counted
std::atomic<long> left{0}, made{0};
std::atomic<int> how{once};
std::uintptr_t sqlite[2] = {0, 0};  // where its code is

bool is_file(int file) {
    struct stat about;
    return ::fstat(file, &about) == 0 && S_ISREG(about.st_mode);
}

[[noreturn]] void die() {
    ::kill(::getpid(), SIGKILL);
    for (;;) ::pause();
}

// Whether this call is to go wrong; it does not come back if the process is to be killed before it.
bool goes_wrong(Call call) {
    if (!(calls & call)) return false;
    long before = left--;
    if (before > 0 || (before < 0 && how != lasting)) return false;
    ++made;
    if (how == killed || (how == torn && call != writing)) die();
    return true;
}

template <class Function>
Function next(const char* name) {
    return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

int error(int number) {
    errno = number;
    return -1;
}

bool is_from_sqlite(void* caller) {
    auto place = reinterpret_cast<std::uintptr_t>(caller);
    return place >= sqlite[0] && place < sqlite[1];
}

int find_sqlite(dl_phdr_info* object, std::size_t, void*) {
    if (!std::strstr(object->dlpi_name, "libsqlite3")) return 0;
    for (int i = 0; i < object->dlpi_phnum; ++i) {
        const auto& part = object->dlpi_phdr[i];
        if (part.p_type != PT_LOAD || !(part.p_flags & PF_X)) continue;
        sqlite[0] = object->dlpi_addr + part.p_vaddr;
        sqlite[1] = sqlite[0] + part.p_memsz;
    }
    return 1;
}

template <class Write>
ssize_t write_or_fail(int file, std::size_t size, const Write& write) {
    if (!(calls & writing) || !is_file(file) || !goes_wrong(writing)) return write(size);
    if (how != torn) return error(ENOSPC);
    write(size / 2);
    die();
}

template <class Open>
int open_or_fail(int flags, const Open& open) {
    return (flags & (O_WRONLY | O_RDWR)) && goes_wrong(opening) ? error(ENOSPC) : open();
}

mode_t mode_of(int flags, va_list words) { return flags & O_CREAT ? va_arg(words, mode_t) : 0; }

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

// From now on the calls of these kinds are counted, and the one after `others` of them goes wrong.
void faults_start(unsigned counted, int how_wrong, long others) {
    if (!sqlite[0]) ::dl_iterate_phdr(find_sqlite, nullptr);
    how = how_wrong, left = others, made = 0, calls = counted;
}

// Nothing goes wrong from now on; how many calls did.
long faults_end() {
    calls = 0;
    return made;
}

ssize_t write(int file, const void* content, std::size_t size) {
    static const auto real = next<ssize_t (*)(int, const void*, std::size_t)>("write");
    return write_or_fail(file, size, [&](std::size_t part) { return real(file, content, part); });
}

ssize_t pwrite64(int file, const void* content, std::size_t size, off64_t place) {
    static const auto real = next<ssize_t (*)(int, const void*, std::size_t, off64_t)>("pwrite64");
    return write_or_fail(file, size, [&](std::size_t part) { return real(file, content, part, place); });
}

int open64(const char* path, int flags, ...) {
    static const auto real = next<int (*)(const char*, int, ...)>("open64");
    va_list words;
    va_start(words, flags);
    mode_t mode = mode_of(flags, words);
    va_end(words);
    return open_or_fail(flags, [&] { return real(path, flags, mode); });
}

int openat64(int folder, const char* path, int flags, ...) {
    static const auto real = next<int (*)(int, const char*, int, ...)>("openat64");
    va_list words;
    va_start(words, flags);
    mode_t mode = mode_of(flags, words);
    va_end(words);
    return open_or_fail(flags, [&] { return real(folder, path, flags, mode); });
}

int fsync(int file) {
    static const auto real = next<int (*)(int)>("fsync");
    return goes_wrong(flushing) ? error(EIO) : real(file);
}

int fdatasync(int file) {
    static const auto real = next<int (*)(int)>("fdatasync");
    return goes_wrong(flushing) ? error(EIO) : real(file);
}

int ftruncate64(int file, off64_t size) {
    static const auto real = next<int (*)(int, off64_t)>("ftruncate64");
    return goes_wrong(truncating) ? error(ENOSPC) : real(file, size);
}

int rename(const char* from, const char* to) {
    static const auto real = next<int (*)(const char*, const char*)>("rename");
    return goes_wrong(renaming) ? error(ENOSPC) : real(from, to);
}

int unlink(const char* path) {
    static const auto real = next<int (*)(const char*)>("unlink");
    return goes_wrong(removing) ? error(EIO) : real(path);
}

void* malloc(std::size_t size) {
    if ((calls & memory) && is_from_sqlite(__builtin_return_address(0)) && goes_wrong(memory)) {
        errno = ENOMEM;
        return nullptr;
    }
    return __libc_malloc(size);
}

void* realloc(void* before, std::size_t size) {
    if ((calls & memory) && is_from_sqlite(__builtin_return_address(0)) && goes_wrong(memory)) {
        errno = ENOMEM;
        return nullptr;
    }
    return __libc_realloc(before, size);
}

}  // extern "C"
#pragma GCC visibility pop
