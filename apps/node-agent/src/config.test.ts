import { describe, expect, it } from 'vitest';
import { readConfig } from './config.ts';

describe('the node-agent\u2019s configuration', () => {
  it('is read from the environment of its pod', () => {
    const config = readConfig([], { NODE_NAME: 'node-1', VELERO_NAMESPACE: 'backup' });
    expect(config).toMatchObject({
      node: 'node-1',
      namespace: 'backup',
      prepareTimeoutMs: 1_800_000,
      concurrency: undefined,
      attempts: 3,
      port: 8085,
    });
  });
  it('prefers flags to the environment', () => {
    const flags = [
      '--node=a',
      '--namespace',
      'b',
      '--data-mover-prepare-timeout',
      '90s',
      '--concurrency',
      '4',
      '--log-format',
      'json',
    ];
    expect(readConfig(flags, { NODE_NAME: 'x' })).toMatchObject({
      node: 'a',
      namespace: 'b',
      prepareTimeoutMs: 90_000,
      concurrency: 4,
      logFormat: 'json',
    });
  });
  it('accepts Velero\u2019s flags', () => {
    const flags = ['--node-agent-configmap', 'agents', '--resource-timeout', '10m0s'];
    expect(readConfig(flags, { NODE_NAME: 'x' })).toMatchObject({ configMap: 'agents', resourceTimeoutMs: 600_000 });
    expect(readConfig([], { NODE_NAME: 'x' }).configMap).toBeUndefined();
    const repository = ['--backup-repository-configmap=repositories', '--data-mover-attempts=1'];
    expect(readConfig(repository, { NODE_NAME: 'x' })).toMatchObject({
      repositoryConfigMap: 'repositories',
      attempts: 1,
    });
  });
  it('has flags for access to volumes of running pods, for settings that the ConfigMap does not have', () => {
    const usual = { access: 'host-path', kubeletDirectory: '/var/lib/kubelet' };
    expect(readConfig([], { NODE_NAME: 'x' })).toMatchObject({ podVolumes: true, podVolume: usual });
    const flags = ['--pod-volume-access=claim-only', '--kubelet-root-dir=/srv/kubelet/', '--use-pod-volumes=false'];
    expect(readConfig(flags, { NODE_NAME: 'x' })).toMatchObject({
      podVolumes: false,
      podVolume: { access: 'claim-only', kubeletDirectory: '/srv/kubelet' },
    });
  });
  it('moves volumes of running pods unless that is disabled', () => {
    expect(readConfig([], { NODE_NAME: 'x' })).toMatchObject({ podVolumes: true, resourceTimeoutMs: 600_000 });
    expect(readConfig(['--use-pod-volumes=false'], { NODE_NAME: 'x' }).podVolumes).toBe(false);
  });
  it.each([
    [['--kubelet-root-dir=/a/../b'], { NODE_NAME: 'x' }, '--kubelet-root-dir "/a/../b" is not an absolute path'],
    [['--pod-volume-access=all'], { NODE_NAME: 'x' }, "argument 'all' is invalid"],
    [[], {}, 'the name of the node is not known'],
    [
      ['--data-mover-prepare-timeout', 'soon'],
      { NODE_NAME: 'x' },
      '--data-mover-prepare-timeout "soon" is not a positive duration',
    ],
    [['--concurrency', '0'], { NODE_NAME: 'x' }, '--concurrency "0" is not a positive whole number'],
    [['--data-mover-attempts', '0'], { NODE_NAME: 'x' }, '--data-mover-attempts "0" is not a positive whole number'],
    [['--port', '70000'], { NODE_NAME: 'x' }, '--port "70000" is not a port number'],
    [['--lgo-level', 'info'], { NODE_NAME: 'x' }, "unknown option '--lgo-level'"],
    [['--log-level', 'loud'], { NODE_NAME: 'x' }, "argument 'loud' is invalid"],
  ])('rejects %j with %j', (flags, environment, message) => {
    expect(() => readConfig(flags, environment)).toThrow(message);
  });
});
