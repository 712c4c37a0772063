/* What C++ programs do with large memory: containers, aligned new, exceptions while objects are made, threads. */
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static uint64_t mix(uint64_t x) {
    x = (x ^ x >> 33) * 0xff51afd7ed558ccdULL;
    return x ^ x >> 29;
}

struct Node { uint64_t words[20000]; };
struct alignas(1 << 16) Wide { char bytes[1 << 18]; };
struct Thrower {
    std::vector<double> values;
    Thrower() : values(1 << 18, 1.5) { throw std::runtime_error("thrown"); }
};

static uint64_t grown() {
    std::vector<uint64_t> all;
    for (uint64_t i = 0; i < 1500000; i++) all.push_back(mix(i));
    uint64_t sum = 0;
    for (uint64_t word : all) sum += mix(word);
    return sum;
}

static uint64_t nodes() {
    std::map<int, Node> all;
    for (int i = 0; i < 60; i++)
        for (uint64_t k = 0; k < 20000; k++) all[i * 7919 % 1000].words[k] = mix(i * 20000 + k);
    for (int i = 0; i < 30; i++) all.erase(i * 7919 % 1000);
    uint64_t sum = all.size();
    for (auto &node : all)
        for (uint64_t word : node.second.words) sum += mix(word + node.first);
    return sum;
}

static int aligned() {
    auto wide = std::make_unique<Wide>();
    wide->bytes[sizeof wide->bytes - 1] = 3;
    if ((uintptr_t)wide.get() % (1 << 16)) return 1000;
    return wide->bytes[sizeof wide->bytes - 1];
}

static int caught() {
    int count = 0;
    for (int i = 0; i < 10; i++) {
        try { Thrower thrower; } catch (std::exception &) { count++; }
    }
    try {
        volatile size_t bytes = (size_t)1 << 47;
        std::vector<char> all(bytes);
    } catch (std::bad_alloc &) { count += 100; }
    return count;
}

static uint64_t threads() {
    std::atomic<uint64_t> sum{0};
    std::vector<std::thread> all;
    for (int t = 0; t < 6; t++) all.emplace_back([&, t] {
        for (int round = 0; round < 4; round++) {
            std::vector<uint32_t> one(200000 + t * 1000 + round);
            for (size_t i = 0; i < one.size(); i++) one[i] = mix(i + t * 31 + round);
            std::vector<uint32_t> other = one;
            one = {};
            for (uint32_t word : other) sum += word;
            std::string text(300000, 'a' + t);
            text += text;
            sum += text.back();
        }
    });
    for (auto &thread : all) thread.join();
    return sum;
}

int main() {
    std::vector<char> kept(8 << 20, 7);
    printf("%llx %llx %d %d %llx\n", (unsigned long long)grown(), (unsigned long long)nodes(), aligned(), caught(),
           (unsigned long long)threads());
    for (char byte : kept)
        if (byte != 7) return 1;
    return 0;
}
