import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import type { Step } from './steps.ts';
import { type Tally, tallyOfReport, type VitestReport } from './tally.ts';

export interface StepContext {
  root: string;
  env: Readonly<Record<string, string>>;
  signal: AbortSignal;
  /** Where the step's own words go; default: to ours as they come. A function gets them all at the end. */
  output?: 'inherit' | 'ignore' | ((words: string) => void);
}

/** Runs one step. Never rejects for a failing step: the failure is in the tally. */
export async function runStep(step: Step, context: StepContext): Promise<Tally> {
  return step.kind === 'check' ? runCheck(step.command, context) : runVitest(step.projects, context);
}

async function runCheck(command: readonly string[], context: StepContext): Promise<Tally> {
  const ok = (await run(command, context)) === 0;
  return { passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: 0 };
}

async function runVitest(projects: readonly string[], context: StepContext): Promise<Tally> {
  const folder = mkdtempSync(join(tmpdir(), 'lateen-test-'));
  try {
    const file = join(folder, 'report.json');
    const chosen = projects.map((project) => `--project=${project}`);
    const exitCode = await run(
      ['vitest', 'run', ...chosen, '--reporter=default', '--reporter=json', `--outputFile.json=${file}`],
      context,
    );
    return tallyOfReport(readReport(file), exitCode);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readReport(file: string): VitestReport | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as VitestReport;
  } catch {
    // Missing or torn: the run died. The caller counts that as a failure.
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
    // Clusters are taken down in the tests' tear-down; give it time before the kill.
    forceKillAfterDelay: 60_000,
  });
  if (typeof output === 'function') output(result.all ?? '');
  return result.exitCode ?? 1;
}
