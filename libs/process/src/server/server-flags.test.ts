import { AppError } from '@lateen/errors';
import { CommanderError } from 'commander';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { parseServerFlags, serverCommand, serverConfig } from './server-flags.ts';

const command = () =>
  serverCommand('lateen-some', 'Does some things.', {})
    .option('--own <text>', 'of its own')
    .option('--picky <text>', 'with a next step', () => {
      throw new AppError('USAGE', '--picky is never content', { nextStep: 'Leave it.' });
    });

describe('the flags of a server', () => {
  afterEach(() => vi.restoreAllMocks());

  it('have defaults, and the namespace comes from the environment', () => {
    const environment = { VELERO_NAMESPACE: 'backup' };
    const flags = parseServerFlags(serverCommand('lateen-some', '', environment), []);
    expect(serverConfig(flags, environment)).toEqual({
      kubeconfig: undefined,
      namespace: 'backup',
      logLevel: 'info',
      logFormat: 'text',
      podVolumes: true,
      address: '0.0.0.0',
      port: 8085,
      environment,
    });
    expect(parseServerFlags(command(), []).namespace).toBe('velero');
  });

  it('are parsed together with the flags of the program', () => {
    expect(parseServerFlags(command(), ['--port=0', '--own', 'x'])).toMatchObject({ port: 0, own: 'x' });
  });

  it('accept =false for a flag that is on by default', () => {
    const flags = parseServerFlags(command(), ['--use-pod-volumes=false']);
    expect(serverConfig(flags, {}).podVolumes).toBe(false);
    expect(parseServerFlags(command(), ['--use-pod-volumes'])).toMatchObject({ usePodVolumes: true });
  });

  it.each([
    [['--use-pod-volumes=no way'], '--use-pod-volumes "no way" is neither true nor false', 'See lateen-some --help.'],
    [['--port', '65536'], '--port "65536" is not a port number', 'See lateen-some --help.'],
    [['--nope'], "unknown option '--nope'", 'See lateen-some --help.'],
    [['--log-level=loud'], expect.stringContaining("argument 'loud' is invalid"), 'See lateen-some --help.'],
    [['--picky=a'], '--picky is never content', 'Leave it.'],
    [['word'], expect.stringContaining('too many arguments'), 'See lateen-some --help.'],
  ])('reject %j with the next step', (argv, message, nextStep) => {
    expect(() => parseServerFlags(command(), argv)).toThrow(
      expect.objectContaining({ code: 'USAGE', message, nextStep }),
    );
  });

  it('print help and end', () => {
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    expect(() => parseServerFlags(command(), ['--help'])).toThrow(CommanderError);
    expect(write.mock.calls.join('')).toContain('--own <text>');
  });
});
