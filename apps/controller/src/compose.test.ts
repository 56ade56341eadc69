import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BackupStorageLocation, backupStorageLocationType } from '@lateen/api-types';
import { aBackupStorageLocation, aSecret, fakeCluster, recordingLog, serveFakeCluster } from '@lateen/testing';
import { expect, it, onTestFinished } from 'vitest';
import { runControllerApp } from './compose.ts';
import { readConfig } from './config.ts';

const listing =
  '<?xml version="1.0"?><ListBucketResult><IsTruncated>false</IsTruncated>' +
  '<CommonPrefixes><Prefix>backups/</Prefix></CommonPrefixes></ListBucketResult>';

async function listening(server: Server): Promise<string> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const locationAt = (name: string, s3Url: string): BackupStorageLocation =>
  aBackupStorageLocation({
    name,
    phase: undefined,
    spec: { config: { region: 'r', s3Url, s3ForcePathStyle: 'true' } },
  });

it('is healthy and ready, and continues with other locations, while one hangs', { timeout: 60_000 }, async () => {
  let held = 0;
  const hanging = await listening(createServer(() => held++));
  const good = await listening(createHttpServer((_, response) => response.end(listing)));
  const keys = '[default]\naws_access_key_id=A\naws_secret_access_key=B\n';
  const cluster = fakeCluster({
    objects: [
      aSecret({ name: 'cloud-credentials', values: { cloud: keys } }),
      locationAt('hangs', hanging),
      locationAt('good', good),
    ],
  });
  const served = await serveFakeCluster(cluster);
  const folder = await mkdtemp(join(tmpdir(), 'lateen-controller-test-'));
  const [stop, log] = [new AbortController(), recordingLog()];
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, kubeconfigText(served.url));
  const argv = ['--kubeconfig', kubeconfig, '--address=127.0.0.1', '--port=0', '--no-leader-elect'];
  const running = runControllerApp(readConfig(argv, {}), { log, stop: stop.signal });
  try {
    const phase = () => cluster.find(backupStorageLocationType, { namespace: 'velero', name: 'good' })?.status?.phase;
    await expect.poll(phase, { timeout: 30_000 }).toBe('Available');
    await expect.poll(() => held, { timeout: 30_000 }).toBeGreaterThan(0);
    const url = String(log.lines.find(({ fields }) => fields.probes !== undefined)?.fields.probes);
    expect([(await fetch(`${url}/healthz`)).status, (await fetch(`${url}/readyz`)).status]).toEqual([200, 200]);
    const metrics = async () => (await fetch(`${url}/metrics`)).text();
    await expect.poll(metrics).toContain('velero_backup_location_status_gauge{backup_location_name="good"} 1');
    for (const controller of ['backup-storage-location', 'default-backup-storage-location'])
      await expect.poll(metrics).toContain(`controller_runtime_reconcile_total{controller="${controller}",result="`);
  } finally {
    stop.abort(new Error('the test is over'));
    await running;
    await served.close();
    await rm(folder, { recursive: true });
  }
});

const kubeconfigText = (server: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'memory',
    contexts: [{ name: 'memory', context: { cluster: 'memory', user: 'memory' } }],
    clusters: [{ name: 'memory', cluster: { server } }],
    users: [{ name: 'memory', user: {} }],
  });
