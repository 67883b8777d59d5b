// Random numbers that depend on the seed and on where they are used, never on threads: each stream has its own
// generator, xoshiro256++ (Blackman and Vigna 2021), started from a hash (the finaliser of SplitMix64) of the seed and
// the stream's place.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "elementary.hpp"

namespace veridag {

inline std::uint64_t mix(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

class Stream {
   public:
    Stream(std::uint64_t seed, std::uint64_t block, std::uint64_t variable) {
        std::uint64_t key = mix(mix(mix(seed) ^ block) ^ (variable << 32 | variable));
        for (std::uint64_t& word : state) {
            key += 0x9e3779b97f4a7c15ULL;
            word = mix(key);
        }
    }

    std::uint64_t bits() {
        std::uint64_t result = std::rotl(state[0] + state[3], 23) + state[0];
        std::uint64_t shifted = state[1] << 17;
        state[2] ^= state[0];
        state[3] ^= state[1];
        state[1] ^= state[2];
        state[0] ^= state[3];
        state[2] ^= shifted;
        state[3] = std::rotl(state[3], 45);
        return result;
    }

    // Uniform on [0, 1), a multiple of 2^-53.
    double uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }

    // Standard normal, by Marsaglia's polar method.
    double normal() {
        if (has_spare) {
            has_spare = false;
            return spare;
        }
        double u, v, square;
        do {
            u = 2.0 * uniform() - 1.0;
            v = 2.0 * uniform() - 1.0;
            square = u * u + v * v;
        } while (square >= 1.0 || square == 0.0);
        double scale = std::sqrt(-2.0 * elementary::log(square) / square);
        spare = v * scale;
        has_spare = true;
        return u * scale;
    }

   private:
    std::uint64_t state[4];
    double spare = 0.0;
    bool has_spare = false;
};

}  // namespace veridag
