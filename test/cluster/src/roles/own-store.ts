import { text } from 'node:stream/consumers';
import { systemClock } from '@lateen/kernel';
import { environmentKeys, s3Store } from '@lateen/object-store-s3';
import type { ResolvedLocation } from '@lateen/storage-location';

/** Runs inside the network: our own store writes, lists, reads and deletes one object in the location that it reads from standard input. */
const location = JSON.parse(await text(process.stdin)) as Extract<ResolvedLocation, { provider: 's3' }>;
const { credentials, region } = location;
const store = s3Store({
  ...location,
  credentials: 'identity' in credentials ? environmentKeys(process.env, { clock: systemClock, region }) : credentials,
});
try {
  await store.put('own/object', new TextEncoder().encode('of the store'));
  const keys: string[] = [];
  for await (const { key } of store.list('own/')) keys.push(key);
  const read = new TextDecoder().decode(await store.get('own/object'));
  await store.delete('own/object');
  process.stdout.write(JSON.stringify({ keys, read }));
} finally {
  await store.close();
}
