import { AppError } from '@lateen/errors';
import { CommanderError } from 'commander';
import { describe, expect, it } from 'vitest';
import { failureOf } from './report-failure.ts';

const going = new AbortController().signal;
const reason = new Error('interrupted by SIGINT');
const stopped = AbortSignal.abort(reason);
const refused = new AppError('BAD_FLAG', 'wrong', { nextStep: 'Do it right.' });
const usage = new CommanderError(1, 'commander.unknownOption', "error: unknown option '--x'");
const help = new CommanderError(0, 'commander.helpDisplayed', '(outputHelp)');
const waitEnded = new AppError('INTERRUPTED', 'stopped waiting', { nextStep: 'Look again.' });

describe('the output and exit code of an error', () => {
  it.each<[string, string, unknown, AbortSignal, string, number]>([
    ['a wrong flag', 'backup-location', refused, going, 'An error occurred: wrong. Do it right.\n', 1],
    ['a failure', 'repo', new Error('no connection'), going, 'An error occurred: no connection\n', 1],
    ['a usage error', 'backup-location', usage, going, '', 1],
    ['an unknown command', '', usage, going, '', 1],
    ['help', 'backup-location', help, going, '', 0],
    ['an interruption', 'backup-location', reason, stopped, '', 1],
    ['a wait that was interrupted', 'backup-location', waitEnded, stopped, 'stopped waiting. Look again.\n', 1],
    ['a failure as it was interrupted', 'repo', new Error('half'), stopped, 'An error occurred: half\n', 1],
    ['a wrong flag of a command of ours', 'volume', refused, going, 'lateen: wrong. Do it right.\n', 2],
    ['a usage error of a command of ours', 'volume', usage, going, '', 2],
    ['a failure of a command of ours', 'volume', new Error('x'), going, 'lateen: x\n', 1],
    ['an interrupted command of ours', 'volume', waitEnded, stopped, 'lateen: stopped waiting. Look again.\n', 130],
  ])('%s (%s)', (_, command, error, signal, text, exitCode) => {
    expect(failureOf(error, { command, signal })).toEqual({ text, exitCode });
  });
});
