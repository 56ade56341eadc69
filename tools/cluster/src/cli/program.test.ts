import { AppError } from '@lateen/errors';
import { CommanderError } from 'commander';
import { describe, expect, it } from 'vitest';
import { silentProgress } from '../progress/progress.ts';
import { clusterProgram, exitCodeOf } from './program.ts';

async function run(argv: string[]): Promise<{ error: unknown; said: string }> {
  let said = '';
  const write = (text: string): void => {
    said += text;
  };
  const program = clusterProgram({ print: write, progress: silentProgress, signal: new AbortController().signal });
  for (const command of [program, ...program.commands]) command.configureOutput({ writeErr: write, writeOut: write });
  const error = await program.parseAsync(argv, { from: 'user' }).catch((thrown: unknown) => thrown);
  return { error, said };
}

describe('wrong usage', () => {
  it.each([
    { argv: ['bogus'], says: "unknown command 'bogus'" },
    { argv: ['up', '--fast'], says: "unknown option '--fast'" },
    { argv: ['up', '--nodes', 'three'], says: 'It must be a whole number, 1 or more.' },
    { argv: ['up', '--nodes', '0'], says: 'It must be a whole number, 1 or more.' },
    { argv: ['status', '-o', 'xml'], says: 'Allowed choices are text, json, yaml' },
    { argv: ['load-image'], says: "missing required argument 'archive'" },
    { argv: ['kill'], says: "missing required argument 'machine'" },
    { argv: ['exec', 'node-1'], says: "missing required argument 'command'" },
  ])('$argv ends with exit code 2 and says why', async ({ argv, says }) => {
    const { error, said } = await run(argv);
    expect(said).toContain(says);
    expect(exitCodeOf(error)).toEqual({ code: 2, printed: true });
  });
});

it('shows examples and exit codes in the help, and ends with 0', async () => {
  const { error, said } = await run(['--help']);
  expect(said).toContain('npm run cluster -- up --nodes 3');
  expect(said).toContain('Exit codes:');
  expect(exitCodeOf(error)).toEqual({ code: 0, printed: true });
});

it.each([
  { error: new AppError('DISK_FULL', 'x'), code: 1, printed: false },
  { error: new Error('x'), code: 1, printed: false },
  { error: new AppError('CLUSTER_NOT_WHOLE', 'x'), code: 3, printed: true },
  { error: new AppError('EXEC_FAILED', 'x', { details: { exitCode: 42 } }), code: 42, printed: true },
  { error: new CommanderError(1, 'commander.x', 'x'), code: 2, printed: true },
])('$error.code means exit code $code', ({ error, code, printed }) => {
  expect(exitCodeOf(error)).toEqual({ code, printed });
});

it('kills only running machines, and says where to find their names', async () => {
  const { error } = await run(['kill', 'node-7', '--dir', '/nowhere/cluster']);
  expect(error).toMatchObject({ code: 'MACHINE_NOT_RUNNING', nextStep: 'See `npm run cluster -- status`.' });
});
