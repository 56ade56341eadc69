import { describe, expect, it } from 'vitest';
import { readConfig } from './config.ts';

describe('readConfig', () => {
  it('has a default for everything', () => {
    expect(readConfig([], {})).toMatchObject({
      namespace: 'velero',
      logLevel: 'info',
      logFormat: 'text',
      address: '0.0.0.0',
      port: 8085,
      leaderElect: true,
      scratchDirectory: '/tmp',
      engineBinary: 'kopia',
      kubeconfig: undefined,
    });
  });

  it('takes flags before the environment', () => {
    const environment = { VELERO_NAMESPACE: 'ns', VELERO_SCRATCH_DIR: '/scratch', POD_NAME: 'pod-1' };
    const argv = ['--namespace', 'other', '--port=0', '--log-level=debug', '--log-format=json', '--no-leader-elect'];
    expect(readConfig(argv, environment)).toMatchObject({
      namespace: 'other',
      port: 0,
      logLevel: 'debug',
      logFormat: 'json',
      leaderElect: false,
      scratchDirectory: '/scratch',
      identity: 'pod-1',
    });
    expect(readConfig([], environment).namespace).toBe('ns');
  });

  it.each([
    [['--nope'], /unknown option '--nope'/],
    [['--port', 'many'], /--port "many" is not a port number/],
    [['--port', '70000'], /--port "70000"/],
    [['--log-level=loud'], /loud/],
    [['extra'], /too many arguments/],
  ])('refuses %j naming what is wrong', (argv, message) => {
    expect(() => readConfig(argv, {})).toThrow(
      expect.objectContaining({ code: 'USAGE', message: expect.stringMatching(message) }),
    );
  });
});
