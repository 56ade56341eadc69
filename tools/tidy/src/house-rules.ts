/** One call that the house does not make, and what to do instead. */
export interface BannedCall {
  pattern: RegExp;
  name: string;
  instead: string;
}

/** Time, chance and identity are ports (libs/kernel): a deadline made from the real clock cannot be advanced by a test. */
export const bannedCalls: readonly BannedCall[] = [
  { pattern: /\bDate\.now\s*\(/, name: 'Date.now()', instead: 'take a Clock and call now()' },
  { pattern: /\bnew Date\(\s*\)/, name: 'new Date()', instead: 'new Date(clock.now())' },
  // A socket's method of that name sets its inactivity limit; that is the socket's and no timer of ours.
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

/** Where the real clock and real chance live. */
export const mayTouchTheClock: readonly string[] = ['libs/kernel/src/', 'tools/tidy/src/'];

/** Starting a process is for one library (docs/adr/0019); tools and tests of the workspace are free to. */
export const processStarters = /^(node:)?child_process$|^(execa|tinyexec|cross-spawn)$/;
export const mayStartProcesses =
  /^libs\/(child-process|testing)\/|\/conformance\/|\.test\.ts$|^(tools|test|bench)\/|^[^/]*$/;

/**
 * The FUSE export of qemu-storage-daemon puts the bytes of one request in the place of another. What makes one, as an argument of
 * a program or of its monitor; tests that it is refused may name it.
 */
export const fuseExportPattern = /\btype['"]?\s*[:=,]\s*['"`]?fuse\b/;
export const mayNameFuseExport = /\.test\.ts$|^tools\/tidy\//;

export const fileLinesMax = 250;
export const testFileLinesMax = 600;
export const functionLinesMax = 70;

/** A name that says nothing collects everything. */
export const drawerPattern = /(^|\/)(utils?|helpers?|common|misc|types)(\/|\.ts$)/;

export const leftoverPattern = /\b(TODO|FIXME|XXX|HACK)\b|\b(it|test|describe)\.(only|todo)\(/;

/** Importing a test file runs its tests a second time in the file that imports it, or not at all: the count would lie. */
export const testFilePattern = /\.test\.ts$/;

/** Where a library is the whole of somebody's program, and nobody stands above it who could read the environment. */
export const mayReadEnvironment = /^libs\/plugin\/src\/program\/serve-plugin\.ts$/;

/** Files that name pages, sections and decisions: all that they name has to be there. */
export const citing = /\.(ts|mjs|md|ya?ml)$/;
/** Tests of that check name pages that there are only in the test. */
export const mayCiteAnything = /^tools\/tidy\/.*\.test\.ts$/;
