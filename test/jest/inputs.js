/**
 * Property tests draw the same inputs in each usual run, whose result then depends on the code alone; a soak draws others each
 * time. A failure reports the seed, and FUZZ_SEED repeats a run.
 */
const { configureGlobal } = require('fast-check')

const { FUZZ_SEED, SOAK } = process.env
configureGlobal({ seed: Number(FUZZ_SEED ?? (SOAK ? Math.floor(Math.random() * 2 ** 31) : 1)) })
