import fc from 'fast-check';

/**
 * Runs before each test file. Property tests draw the same cases in each run, so that a tree that has passed passes again, on any machine.
 * `LATEEN_SEED=random npm test -- --tier unit` draws others, a number those of that seed; a failure prints its seed.
 */
const asked = process.env.LATEEN_SEED ?? '20261123';
if (asked !== 'random') fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(asked) });
