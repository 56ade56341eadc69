import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { backupStorageLocationType } from '@lateen/api-types';
import { systemClock } from '@lateen/kernel';
import { aBackupRepository, aBackupStorageLocation, aSecret, fakeCluster, serveFakeCluster } from '@lateen/testing';
import { countCalls } from '../simulation/count-calls.ts';

/*
 * For benchmarks of a real controller: serves that many BackupStorageLocations and BackupRepositories from an API server in memory over
 * HTTP, and an S3 server that lists them. `node serve-locations.ts <locations> <repositories>` prints one line of JSON with the URL, and,
 * when each location has been validated twice, another one with the calls; ends when its standard input ends.
 */
const [locations = 0, repositories = 0] = process.argv.slice(2).map(Number);
if (!Number.isInteger(locations) || locations < 1)
  throw new TypeError('usage: serve-locations.ts <locations> <repositories>');

const validationsEach = 2;
const keys = '[default]\naws_access_key_id=A\naws_secret_access_key=B\n';

const nameOf = (index: number) => `location-${index}`;

/** Each location has a bucket of its name with its repositories, because a missing one would be reported. */
function listing(url: URL): string {
  const index = Number(url.pathname.match(/location-(\d+)/)?.[1]);
  const prefix = url.searchParams.get('prefix') ?? '';
  const names: string[] = prefix === '' ? ['kopia'] : [];
  if (prefix === 'kopia/') for (let at = index; at < repositories; at += locations) names.push(`app-${at}`);
  const found = names.map((name) => `<CommonPrefixes><Prefix>${prefix}${name}/</Prefix></CommonPrefixes>`).join('');
  return `<?xml version="1.0"?><ListBucketResult><IsTruncated>false</IsTruncated>${found}</ListBucketResult>`;
}

const store = createServer((request, response) =>
  response.end(listing(new URL(request.url ?? '/', 'http://store'))),
).listen(0, '127.0.0.1');
await once(store, 'listening');
const s3Url = `http://127.0.0.1:${(store.address() as AddressInfo).port}`;
const config = { region: 'us-east-1', s3Url, s3ForcePathStyle: 'true' };

const cluster = fakeCluster({
  clock: systemClock,
  objects: [
    aSecret({ name: 'cloud-credentials', values: { cloud: keys } }),
    ...Array.from({ length: locations }, (_, index) =>
      aBackupStorageLocation({
        name: nameOf(index),
        phase: undefined,
        spec: { config, objectStorage: { bucket: nameOf(index) } },
      }),
    ),
    ...Array.from({ length: repositories }, (_, index) => {
      const backupStorageLocation = nameOf(index % locations);
      const volumeNamespace = `app-${index}`;
      const name = `${volumeNamespace}-${backupStorageLocation}-kopia`;
      return aBackupRepository({ name, spec: { volumeNamespace, backupStorageLocation } });
    }),
  ],
});

const seen = new Map<string, number>();
const done = Promise.withResolvers<void>();
let left = locations;
cluster.onChange(({ object: { kind, metadata, status } }) => {
  if (kind !== backupStorageLocationType.kind) return;
  if ((status as { phase?: string } | undefined)?.phase !== 'Available') return;
  const times = (seen.get(metadata.name ?? '') ?? 0) + 1;
  seen.set(metadata.name ?? '', times);
  if (times === validationsEach) left -= 1;
  if (left === 0) done.resolve();
});

const served = await serveFakeCluster(cluster);
console.log(JSON.stringify({ url: served.url }));
const over = once(process.stdin.resume(), 'end');
await Promise.race([done.promise, over]);
console.log(JSON.stringify({ completed: locations - left, calls: countCalls(cluster.calls) }));
await over;
process.exit(0);
