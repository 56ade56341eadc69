import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { eachAtOnce, systemClock } from '@lateen/kernel';
import { Command } from 'commander';
import { tellFailures } from './failures.ts';
import { runStep, type StepOutcome } from './run-step.ts';
import { parallelSteps, reasonToSkip, type Step, selectSteps } from './steps.ts';
import { addTallies, closingLine } from './tally.ts';

interface Options {
  tier?: string;
  kubeconfig?: string;
  existing?: boolean;
}

const command = new Command('npm test --')
  .description('Run every check and test that this machine can run. Ends with one line: N passed, N failed, N skipped.')
  .option('--tier <names>', 'run only these tiers, separated by commas: check, unit, scenario, api, cluster')
  .option('--kubeconfig <file>', 'run the cluster tier on the cluster of this kubeconfig instead of one of its own')
  .option('--existing', 'run the cluster tier on the cluster of the environment variable KUBECONFIG')
  .addHelpText(
    'after',
    '\nExamples:\n  npm test\n  npm test -- --tier check,unit\n  npm test -- --kubeconfig ~/.kube/config',
  )
  .showHelpAfterError()
  // 2 for a wrong command line, as in all programs of this project.
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));

const options = command.parse().opts<Options>();
const root = join(import.meta.dirname, '..', '..', '..');
const kubeconfig = options.kubeconfig ?? (options.existing ? process.env.KUBECONFIG : undefined);
if (options.existing && kubeconfig === undefined)
  command.error(
    '--existing uses the cluster of KUBECONFIG, and KUBECONFIG is not set: set it, or use --kubeconfig FILE',
  );

const interrupted = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.on(name, () => interrupted.abort(new Error(`interrupted by ${name}`)));

interface StepResult extends StepOutcome {
  step: Step;
  seconds: number;
}

/**
 * Node's compile cache, for all programs that the tests start: they run from their sources, hundreds of times, and half of the CPU time of
 * such a start was removing types and compiling.
 */
const compiled = mkdtempSync(join(tmpdir(), 'lateen-compiled-'));
process.on('exit', () => rmSync(compiled, { recursive: true, force: true }));

const results: StepResult[] = [];
const notes: string[] = [];
let selected: readonly Step[] = [];
try {
  selected = selectSteps(options.tier?.split(',').filter((name) => name !== '') ?? []);
} catch (error) {
  command.error(`--tier: ${error instanceof Error ? error.message : String(error)}`);
}
const runnable = selected.filter((step) => {
  const reason = reasonToSkip(step.tier, { uid: process.getuid?.() ?? 0, hasKubeconfig: kubeconfig !== undefined });
  if (reason === undefined) return true;
  notes.push(`skipped: ${step.title}: ${reason}`);
  results.push({ step, tally: { passed: 0, failed: 0, skipped: 1 }, failures: [], seconds: 0 });
  return false;
});
/** One step prints as it runs; those in parallel to it print when they have ended. */
let printing: Step | undefined;
const isParallel = (step: Step) => step.kind === 'vitest' && step.parallel === true && kubeconfig === undefined;
for (const step of runnable.filter((each) => !isParallel(each))) await run(step);
await eachAtOnce(runnable.filter(isParallel), parallelSteps, run);
results.sort((a, b) => selected.indexOf(a.step) - selected.indexOf(b.step));

console.log('');
for (const line of tellFailures(results.flatMap((result) => result.failures))) console.log(line);
for (const { step, tally, seconds } of results)
  console.log(`${step.title.padEnd(28)} ${closingLine(tally).padEnd(36)} ${seconds} s`);
for (const note of notes) console.log(note);
const total = addTallies(results.map((result) => result.tally));
if (interrupted.signal.aborted) console.log('interrupted: not every tier was run');
console.log(closingLine(total));
process.exitCode = total.failed > 0 || total.passed === 0 || interrupted.signal.aborted ? 1 : 0;

async function run(step: Step): Promise<void> {
  if (interrupted.signal.aborted) return;
  const title = `\n== ${step.title}`;
  const prints = printing === undefined;
  if (prints) printing = step;
  console.log(prints ? title : `${title}: runs in parallel, and prints when it has ended`);
  const startedMs = systemClock.monotonicMs();
  const given = kubeconfig === undefined ? {} : { LATEEN_TEST_KUBECONFIG: resolve(kubeconfig) };
  const env = { NODE_COMPILE_CACHE: compiled, ...given };
  const output = prints ? {} : { output: (words: string) => console.log(`${title}\n${words}`) };
  const outcome = await runStep(step, { root, env, signal: interrupted.signal, ...output });
  if (prints) printing = undefined;
  results.push({ step, ...outcome, seconds: Math.round((systemClock.monotonicMs() - startedMs) / 1000) });
}
