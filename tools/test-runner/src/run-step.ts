import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { type Failure, failuresOf } from './failures.ts';
import type { Step } from './steps.ts';
import { type Tally, tallyOfReport, type VitestReport } from './tally.ts';

export interface StepContext {
  root: string;
  env: Readonly<Record<string, string>>;
  signal: AbortSignal;
  /** Output of the step; default: printed immediately. A function gets all of it at the end. */
  output?: 'inherit' | 'ignore' | ((words: string) => void);
}

export interface StepOutcome {
  tally: Tally;
  /** Failures with a name; a run that died without a report has none. */
  failures: readonly Failure[];
}

/** Runs one step. Never rejects for a failing step: the failure is in the outcome. */
export async function runStep(step: Step, context: StepContext): Promise<StepOutcome> {
  const outcome = await (step.kind === 'check' ? runCheck(step, context) : runVitest(step, context));
  if (outcome.tally.failed === 0 || outcome.failures.length > 0) return outcome;
  return { ...outcome, failures: [{ title: step.title, message: 'no test says why: see what this step printed' }] };
}

async function runCheck({ title, command }: Step & { kind: 'check' }, context: StepContext): Promise<StepOutcome> {
  const exitCode = await run(command, context);
  if (exitCode === 0) return { tally: { passed: 1, failed: 0, skipped: 0 }, failures: [] };
  const message = `${command.join(' ')}: exit code ${exitCode}`;
  return { tally: { passed: 0, failed: 1, skipped: 0 }, failures: [{ title, message }] };
}

async function runVitest({ projects, shard }: Step & { kind: 'vitest' }, context: StepContext): Promise<StepOutcome> {
  const folder = mkdtempSync(join(tmpdir(), 'lateen-test-'));
  try {
    const file = join(folder, 'report.json');
    const chosen = projects.map((project) => `--project=${project}`);
    if (shard !== undefined) chosen.push(`--shard=${shard}`);
    const exitCode = await run(
      // Snapshots are compared, never written, as CI does it: a run that adds one says nothing about it.
      [
        'vitest',
        'run',
        ...chosen,
        '--update=none',
        '--reporter=default',
        '--reporter=json',
        `--outputFile.json=${file}`,
      ],
      context,
    );
    const report = readReport(file);
    return { tally: tallyOfReport(report, exitCode), failures: failuresOf(report, context.root) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readReport(file: string): VitestReport | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as VitestReport;
  } catch {
    // Missing or truncated: the run died. The caller counts that as a failure.
    return undefined;
  }
}

async function run(command: readonly string[], context: StepContext): Promise<number> {
  const [file = '', ...args] = command;
  const { output = 'inherit' } = context;
  const words = typeof output === 'function' ? 'pipe' : output;
  const result = await execa(file, args, {
    cwd: context.root,
    env: { ...context.env },
    stdin: 'ignore',
    stdout: words,
    stderr: words,
    all: words === 'pipe',
    reject: false,
    cancelSignal: context.signal,
    // The tests' tear-down removes clusters; this gives it time before the kill.
    forceKillAfterDelay: 60_000,
  });
  if (typeof output === 'function') output(result.all ?? '');
  return result.exitCode ?? 1;
}
