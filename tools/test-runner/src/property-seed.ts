import fc from 'fast-check';

/**
 * Runs before each test file. Property tests draw the same cases in each run, so that a tree which has passed passes again, here and
 * wherever it is tried. `LATEEN_SEED=random npm test -- --tier unit` draws others, a number those of that seed; what fails says its seed.
 */
const asked = process.env.LATEEN_SEED ?? '20261123';
if (asked !== 'random') fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(asked) });
