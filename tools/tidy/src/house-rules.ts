/** A forbidden call, and what to use instead. */
export interface BannedCall {
  pattern: RegExp;
  name: string;
  instead: string;
}

/** Time, chance and identity are ports (libs/kernel): a test cannot advance a deadline of the real clock. */
export const bannedCalls: readonly BannedCall[] = [
  { pattern: /\bDate\.now\s*\(/, name: 'Date.now()', instead: 'take a Clock and call now()' },
  { pattern: /\bnew Date\(\s*\)/, name: 'new Date()', instead: 'new Date(clock.now())' },
  // A socket's method of that name sets its inactivity limit, which is no timer of ours.
  {
    pattern: /(?<![\w)]\.)\bsetTimeout\s*\(|\bglobalThis\.setTimeout\s*\(/,
    name: 'setTimeout',
    instead: 'clock.sleep(ms, signal)',
  },
  { pattern: /\bsetInterval\s*\(/, name: 'setInterval', instead: 'a loop over clock.sleep(ms, signal)' },
  { pattern: /\bAbortSignal\.timeout\s*\(/, name: 'AbortSignal.timeout', instead: 'clock.deadline(ms)' },
  { pattern: /\bMath\.random\s*\(/, name: 'Math.random', instead: 'take a Random and call next()' },
  { pattern: /\brandomUUID\s*\(/, name: 'randomUUID', instead: 'take a Random and call uuid()' },
];

/** The files that may use the real clock and real random values. */
export const mayTouchTheClock: readonly string[] = ['libs/kernel/src/', 'tools/tidy/src/'];

/** Only one library starts processes (docs/adr/0019); tools and tests of the workspace may do so too. */
export const processStarters = /^(node:)?child_process$|^(execa|tinyexec|cross-spawn)$/;
export const mayStartProcesses =
  /^libs\/(child-process|testing)\/|\/conformance\/|\.test\.ts$|^(tools|test|bench)\/|^[^/]*$/;

/**
 * The FUSE export of qemu-storage-daemon can write the bytes of one request to the place of another. Patterns of its use, as an argument of
 * a program or a command of its monitor; tests that it is rejected may contain them.
 */
export const fuseExportPattern = /\btype['"]?\s*[:=,]\s*['"`]?fuse\b/;
export const mayNameFuseExport = /\.test\.ts$|^tools\/tidy\//;

export const fileLinesMax = 250;
export const testFileLinesMax = 600;
export const functionLinesMax = 70;

/** Names of files that say nothing about their content. */
export const drawerPattern = /(^|\/)(utils?|helpers?|common|misc|types)(\/|\.ts$)/;

export const leftoverPattern = /\b(TODO|FIXME|XXX|HACK)\b|\b(it|test|describe)\.(only|todo)\(/;

/** Importing a test file runs its tests a second time in the importing file, or not at all, so the number of tests would be wrong. */
export const testFilePattern = /\.test\.ts$/;

/** Libraries that are a whole program for others, so that no caller could read the environment for them. */
export const mayReadEnvironment = /^libs\/plugin\/src\/program\/serve-plugin\.ts$/;

/** Files whose references to pages, sections and decisions are checked. */
export const citing = /\.(ts|mjs|md|ya?ml)$/;
/** Tests of that check refer to pages that exist only in the test. */
export const mayCiteAnything = /^tools\/tidy\/.*\.test\.ts$/;
