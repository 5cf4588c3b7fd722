// Blocks of threads on the host: what kernels need of CUDA when their threads work together.
// Each thread of a block is a context of its own; one runs until it waits for others. Blocks run
// one after the other, in order, so that a block may wait for those before it. Shared memory is
// not cleared between blocks, as it is not on a device.
#include <ucontext.h>

#include <cstddef>
#include <cstring>
#include <memory>
#include <vector>

struct Place { unsigned x; };
static Place blockIdx, threadIdx, gridDim, blockDim;

namespace host {

constexpr unsigned WARP = 32;
constexpr std::size_t STACK = 1 << 16;

struct Barrier {
    unsigned arrived = 0, round = 0;
};

struct Thread {
    ucontext_t context;
    bool done = false;
};

struct Block {
    std::vector<Thread> threads;
    std::vector<Barrier> warps;
    std::vector<unsigned char> exchanged;  // 16 bytes a thread
    std::unique_ptr<char[]> stacks;
    Barrier all;
    unsigned alive = 0;
    ucontext_t scheduler;
    void (*run)(const char*) = nullptr;
    const char* given = nullptr;
};
static Block block;

static void others() { swapcontext(&block.threads[threadIdx.x].context, &block.scheduler); }

static void wait(Barrier& barrier, unsigned count) {
    const unsigned round = barrier.round;
    if (++barrier.arrived == count) {
        barrier.arrived = 0;
        ++barrier.round;
    }
    while (barrier.round == round) {
        others();
        if (&barrier == &block.all && barrier.arrived && barrier.arrived == block.alive) {
            barrier.arrived = 0;  // the rest has ended
            ++barrier.round;
        }
    }
}

static void enter() {
    block.run(block.given);
    block.threads[threadIdx.x].done = true;
    --block.alive;
    others();
}

static void run_block(unsigned threads) {
    block.threads = std::vector<Thread>(threads);
    block.warps.assign((threads + WARP - 1) / WARP, Barrier());
    block.exchanged.assign(threads * 16, 0);
    block.stacks.reset(new char[threads * STACK]);
    block.all = Barrier();
    block.alive = threads;
    for (unsigned i = 0; i < threads; ++i) {
        ucontext_t& context = block.threads[i].context;
        getcontext(&context);
        context.uc_stack.ss_sp = block.stacks.get() + i * STACK;
        context.uc_stack.ss_size = STACK;
        context.uc_link = nullptr;
        makecontext(&context, enter, 0);
    }
    while (block.alive) {
        for (unsigned i = 0; i < threads; ++i) {
            if (block.threads[i].done) continue;
            threadIdx.x = i;
            swapcontext(&block.scheduler, &block.threads[i].context);
        }
    }
}

// All threads that a mask names must call this; a value of each is seen by the others.
template <typename T> T from_lane(unsigned mask, T value, unsigned lane, bool valid) {
    static_assert(sizeof(T) <= 16, "wider than is exchanged");
    const unsigned warp = threadIdx.x / WARP;
    const unsigned count = unsigned(__builtin_popcount(mask));
    std::memcpy(&block.exchanged[threadIdx.x * 16], &value, sizeof(T));
    wait(block.warps[warp], count);
    T result = value;
    if (valid) std::memcpy(&result, &block.exchanged[(warp * WARP + lane) * 16], sizeof(T));
    wait(block.warps[warp], count);
    return result;
}
static unsigned lane() { return threadIdx.x % WARP; }

}  // namespace host

static void visit(unsigned groups, unsigned threads, void (*run)(const char*), const char* given) {
    gridDim.x = groups;
    blockDim.x = threads;
    host::block.run = run;
    host::block.given = given;
    for (blockIdx.x = 0; blockIdx.x < groups; ++blockIdx.x) host::run_block(threads);
}

static void __syncthreads() { host::wait(host::block.all, host::block.alive); }
static void __threadfence() {}

template <typename T> T __shfl_sync(unsigned mask, T value, int lane, int = 32) {
    return host::from_lane(mask, value, unsigned(lane) % 32, true);
}
template <typename T> T __shfl_up_sync(unsigned mask, T value, unsigned step, int = 32) {
    return host::from_lane(mask, value, host::lane() - step, host::lane() >= step);
}
template <typename T> T __shfl_down_sync(unsigned mask, T value, unsigned step, int = 32) {
    return host::from_lane(mask, value, host::lane() + step, host::lane() + step < 32);
}
template <typename T> T __shfl_xor_sync(unsigned mask, T value, int step, int = 32) {
    return host::from_lane(mask, value, host::lane() ^ unsigned(step), true);
}
static unsigned __ballot_sync(unsigned mask, int predicate) {
    host::Barrier& warp = host::block.warps[threadIdx.x / host::WARP];
    const unsigned count = unsigned(__builtin_popcount(mask));
    host::block.exchanged[threadIdx.x * 16] = predicate != 0;
    host::wait(warp, count);
    unsigned result = 0;
    for (unsigned lane = 0; lane < host::WARP; ++lane) {
        const unsigned thread = threadIdx.x / host::WARP * host::WARP + lane;
        if (mask >> lane & 1 && host::block.exchanged[thread * 16]) result |= 1u << lane;
    }
    host::wait(warp, count);
    return result;
}
static int __all_sync(unsigned mask, int predicate) {
    return __ballot_sync(mask, predicate) == mask;
}
static int __popc(unsigned x) { return __builtin_popcount(x); }

template <typename T, typename F> T host_atomic(T* at, F changed) {
    const T before = *at;
    *at = changed(before);
    return before;
}
template <typename T> T atomicAdd(T* at, T x) {
    return host_atomic(at, [=](T y) { return T(y + x); });
}
template <typename T> T atomicMax(T* at, T x) {
    return host_atomic(at, [=](T y) { return y < x ? x : y; });
}
