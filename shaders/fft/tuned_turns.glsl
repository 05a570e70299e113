// Rows and columns of a transform in one dispatch. A work group takes its turn from a counter: first come the turns of
// the rows, and the turn of a group of columns waits until all rows of its layers have been finished. Rows never wait, and
// whoever waits holds a later turn than those he waits for, so a wait ends on every device whose work groups, once they
// have begun, go on. A wait that has no end there is broken off after WAIT_LIMIT looks, and the results are not numbers.
//
// Between the axes the values go through the same buffer or image: its variable is coherent, which keeps them out of
// caches that one multiprocessor has for itself.

#ifdef BOTH_AXES

#define WAIT_LIMIT (1u << 26)

layout(std430, binding = 3) coherent volatile restrict buffer TurnBuffer {
    // All zero before and after a dispatch.
    uint turns_taken;
    uint column_groups_finished;
    uint row_groups_finished[]; // of each set of LAYERS layers
};

shared uint turn_of_group;
shared bool waited_in_vain;

bool is_row_turn;   // else columns; the same in all invocations of a group
int group_of_lines; // which LINES rows or columns
int set_of_layers;  // which LAYERS layers

const uint groups_of_axis = uint(SIZE / LINES);

void take_turn() {
    if (gl_LocalInvocationIndex == 0u) {
#ifdef TURN_BY_NUMBER
        turn_of_group = gl_WorkGroupID.x + gl_NumWorkGroups.x * (gl_WorkGroupID.y + gl_NumWorkGroups.y * gl_WorkGroupID.z);
#else
        turn_of_group = atomicAdd(turns_taken, 1u);
#endif
        waited_in_vain = false;
    }
    memoryBarrierShared();
    barrier();
    uint sets = gl_NumWorkGroups.z;
    uint round = turn_of_group / groups_of_axis;
    group_of_lines = int(turn_of_group % groups_of_axis);
#ifdef LAYERS_IN_TURN
    // Both axes of some layers before the next layers begin: what lies between the axes is still in a cache.
    is_row_turn = round % 2u == 0u;
    set_of_layers = int(round / 2u);
#else
    is_row_turn = round < sets;
    set_of_layers = int(round % sets);
#endif
    if (gl_LocalInvocationIndex == 0u && !is_row_turn) {
        uint looks = 0u;
        while (row_groups_finished[set_of_layers] < groups_of_axis && looks < WAIT_LIMIT) {
            ++looks;
        }
        waited_in_vain = row_groups_finished[set_of_layers] < groups_of_axis; // a driver may have ended the loop, too
    }
    memoryBarrier();
    memoryBarrierShared();
    barrier();
}

// After the last store.
void finish_turn() {
    memoryBarrier(); // the stores before the signal
    memoryBarrierShared();
    barrier();
    if (gl_LocalInvocationIndex == 0u) {
        if (is_row_turn) {
            atomicAdd(row_groups_finished[set_of_layers], 1u);
        } else if (atomicAdd(column_groups_finished, 1u) + 1u == groups_of_axis * gl_NumWorkGroups.z) {
            for (uint set = 0u; set < gl_NumWorkGroups.z; ++set) {
                row_groups_finished[set] = 0u;
            }
            column_groups_finished = 0u;
            turns_taken = 0u;
        }
    }
}

#endif
