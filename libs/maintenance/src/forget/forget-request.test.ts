import { configMapType, type Deployment } from '@lateen/api-types';
import { aBackupRepository, fakeCluster } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { maintenanceJob } from '../job/maintenance-job.ts';
import { forgetRequest, readForgetRequests, repositoryOfRequest, requestsOfJob } from './forget-request.ts';

const namespace = 'velero';
const repositoryName = 'app-default-kopia';
const { signal } = new AbortController();
const of = (name: string, ...snapshotIDs: string[]) => forgetRequest({ name, namespace, repositoryName, snapshotIDs });
const read = (cluster: ReturnType<typeof fakeCluster>, ...requests: string[]) =>
  readForgetRequests(cluster, { namespace, repositoryName, requests }, signal);

describe('a forget request', () => {
  it('is found by the labels of its repository, among several', async () => {
    const cluster = fakeCluster({ objects: [of('one', 'a', 'b'), of('two', 'b', 'c')] });
    expect(cluster.all(configMapType)[0]?.metadata.labels).toEqual({
      'velero.io/repo-name': repositoryName,
      'lateen.dev/forget-request': 'true',
    });
    expect(await read(cluster, 'one', 'gone', 'two')).toEqual(['a', 'b', 'c']);
    expect(repositoryOfRequest(of('one', 'a'))).toBe(repositoryName);
  });

  it('is rejected for another repository, and when invalid', async () => {
    const other = forgetRequest({ name: 'one', namespace, repositoryName: 'other', snapshotIDs: ['a'] });
    const cluster = fakeCluster({ objects: [other, { ...of('two'), data: { x: 'y' } } as never] });
    for (const name of ['one', 'two'])
      await expect(read(cluster, name)).rejects.toMatchObject({ code: 'FORGET_REQUEST_INVALID' });
  });

  it('is recognized by the Job that is created for it', () => {
    const deployment = {
      metadata: { name: 'lateen-controller', namespace },
      spec: { template: { spec: { containers: [{ name: 'c', image: 'i', args: ['--log-level=debug'] }] } } },
    } as unknown as Deployment;
    const input = { repository: aBackupRepository(), deployment, atMs: 1, deadlineMs: 1 };
    const job = maintenanceJob({ ...input, task: { operation: 'forget', requests: ['one', 'two'] } });
    expect(job.spec.template.spec.containers[0]?.args).toEqual([
      'forget',
      '--repo-name=app-default-kopia',
      '--requests=one,two',
      '--output=json',
      '--log-level=debug',
    ]);
    expect(requestsOfJob(job)).toEqual(['one', 'two']);
    expect(requestsOfJob(maintenanceJob({ ...input, task: { operation: 'usage' } }))).toEqual([]);
  });
});
