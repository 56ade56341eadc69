import { describe, expect, it } from 'vitest';
import { readPodConfig } from './pod-config.ts';

describe('the environment of a program in a pod', () => {
  it('has a default for everything except the namespace', () => {
    const environment = { VELERO_NAMESPACE: 'velero', HOME: '/home/lateen' };
    expect(readPodConfig(environment, 'its template')).toEqual({
      namespace: 'velero',
      scratchDirectory: '/home/lateen/.lateen',
      terminationLogPath: '/dev/termination-log',
      engineBinary: 'kopia',
      resticBinary: 'restic',
      environment,
    });
    expect(readPodConfig({ VELERO_NAMESPACE: 'velero' }, 'its template').scratchDirectory).toBe('/tmp/.lateen');
  });

  it('overrides each default', () => {
    const environment = {
      VELERO_NAMESPACE: 'velero',
      VELERO_SCRATCH_DIR: '/scratch',
      LATEEN_TERMINATION_LOG: '/tmp/end',
      LATEEN_KOPIA: '/opt/kopia',
      LATEEN_RESTIC: '/opt/restic',
    };
    expect(readPodConfig(environment, 'its template')).toMatchObject({
      scratchDirectory: '/scratch',
      terminationLogPath: '/tmp/end',
      engineBinary: '/opt/kopia',
      resticBinary: '/opt/restic',
    });
  });

  it.each([{}, { VELERO_NAMESPACE: '' }])('is rejected without a namespace: %j', (environment) => {
    expect(() => readPodConfig(environment, 'the DaemonSet')).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        message: 'the environment variable VELERO_NAMESPACE is not set',
        nextStep: 'The pod inherits it from the DaemonSet; set it there.',
      }),
    );
  });
});
