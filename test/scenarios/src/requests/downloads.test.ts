import {
  backupStorageLocationType,
  backupType,
  downloadRequestType,
  downloadTargetKinds,
  eventType,
  secretType,
} from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { aBackupStorageLocation, aSecret } from '@lateen/testing';
import { afterEach, describe, expect, it } from 'vitest';
import {
  aBackup,
  aDownloadRequest,
  aRestore,
  cloudCredentials,
  namespace,
  RequestWorld,
  type RequestWorldOptions,
  secrets,
} from './request-world.ts';

const worlds: RequestWorld[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) {
    const seen = JSON.stringify([world.log.lines, world.cluster.all(eventType)]);
    await world.end();
    expect(Object.values(secrets).filter((secret) => seen.includes(secret))).toEqual([]);
    expect(world.counts.closed).toBe(world.counts.opened);
  }
});

function running(options: RequestWorldOptions = {}): RequestWorld {
  const world = new RequestWorld(options);
  worlds.push(world);
  world.start();
  return world;
}

const log = { kind: 'BackupLog', name: 'nightly' } as const;
const hang = (signal: AbortSignal | undefined) =>
  new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));

describe('a DownloadRequest', () => {
  it('gets a link to the file that is valid for ten minutes, and is then deleted', async () => {
    const world = running();
    const asked = await world.ask('r', log);
    expect(asked?.status).toEqual({
      phase: 'Processed',
      downloadURL: `http://s3.test:9000/backups/backups/nightly/nightly-logs.gz?X-Amz-Signature=${secrets.signature}`,
      expiration: '2030-01-01T00:10:00Z',
    });
    expect(world.ttls).toEqual([600_000]);
    await world.clock.advance(599_000);
    expect(world.download('r')).toBeDefined();
    await world.clock.advance(1_000);
    expect(world.download('r')).toBeUndefined();
    expect(world.cluster.all(eventType)).toEqual([]);
  });

  it('is answered for every kind, under the prefix of the location, by way of Backup or Restore', async () => {
    const objectStorage = { bucket: 'b', prefix: '/some/where/' };
    const location = aBackupStorageLocation({ name: 'other', spec: { objectStorage } });
    const world = running({
      objects: [
        cloudCredentials(),
        location,
        aBackup('one', { storageLocation: 'other' }),
        aRestore('one', { backupName: 'one' }),
      ],
    });
    for (const kind of downloadTargetKinds) {
      const asked = await world.ask(kind.toLowerCase(), { kind, name: 'one' });
      const directory = kind.startsWith('Restore') ? 'restores' : 'backups';
      expect(asked?.status?.downloadURL).toContain(`/b/some/where/${directory}/one/`);
    }
    expect(world.download('restorevolumeinfo')?.status?.downloadURL).toContain('/restores/one/one-volumeinfo.json.gz?');
  });

  it.each<[string, RequestWorldOptions, Parameters<RequestWorld['ask']>[1], RegExp]>([
    ['there is no Backup', {}, { kind: 'BackupLog', name: 'gone' }, /Backup velero\/gone does not exist/],
    ['there is no Restore', {}, { kind: 'RestoreLog', name: 'gone' }, /Restore velero\/gone does not exist/],
    [
      'the Restore\u2019s Backup is gone',
      { objects: [cloudCredentials(), aBackupStorageLocation(), aRestore()] },
      { kind: 'RestoreResults', name: 'back' },
      /Backup velero\/nightly does not exist/,
    ],
    [
      'the Restore is of a schedule that is not resolved',
      {
        objects: [
          cloudCredentials(),
          aBackupStorageLocation(),
          aRestore('back', { backupName: '', scheduleName: 's' }),
        ],
      },
      { kind: 'RestoreLog', name: 'back' },
      /Restore velero\/back names no Backup yet/,
    ],
    [
      'there is no location',
      { objects: [cloudCredentials(), aBackup()] },
      log,
      /BackupStorageLocation velero\/default does not exist/,
    ],
    [
      'the Backup has no location yet',
      { objects: [cloudCredentials(), aBackup('nightly', { storageLocation: '' })] },
      log,
      /Backup velero\/nightly has no storage location yet/,
    ],
    [
      'the Secret is missing',
      { objects: [aBackupStorageLocation(), aBackup()] },
      log,
      /Secret velero\/cloud-credentials .* does not exist\. Create it/,
    ],
    [
      'the location is wrong',
      {
        objects: [
          cloudCredentials(),
          aBackupStorageLocation({ spec: { objectStorage: { bucket: 'a/b' } } }),
          aBackup(),
        ],
      },
      log,
      /must not contain a '\/'/,
    ],
    [
      'the store cannot sign',
      { sign: () => Promise.reject(new AppError('SIGNED_URL_UNSUPPORTED', 'a directory has no links')) },
      log,
      /a directory has no links/,
    ],
    [
      'the store fails with a link in its words',
      { sign: () => Promise.reject(new Error(`GET http://s/k?X-Amz-Signature=${secrets.signature} failed`)) },
      log,
      /X-Amz-Signature=\*\*\* failed/,
    ],
    ['the name is invalid', {}, { kind: 'BackupLog', name: '../../secrets' }, /"\.\.\/\.\.\/secrets" is not the name/],
    ['the name is empty', {}, { kind: 'BackupLog', name: '' }, /"" is not the name of a Backup/],
  ])('is answered without a link, with an Event and in the log, when %s', async (_, options, target, reason) => {
    const world = running(options);
    const asked = await world.ask('r', target);
    expect(asked?.status).toEqual({ phase: 'Processed', expiration: '2030-01-01T00:10:00Z' });
    const [event, ...more] = world.cluster.all(eventType);
    expect(more).toEqual([]);
    expect(event).toMatchObject({ type: 'Warning', reason: 'NoDownloadURL', message: expect.stringMatching(reason) });
    expect(event?.involvedObject).toMatchObject({ kind: 'DownloadRequest', name: 'r', uid: asked?.metadata.uid });
    const line = world.log.lines.find(({ message }) => message === 'a download request cannot be answered');
    expect(line?.fields.reason).toMatch(reason);
    await world.clock.advance(600_000);
    expect(world.download('r')).toBeUndefined();
  });

  it('is answered without a link, with the reason, when a Secret may not be read', async () => {
    const world = new RequestWorld();
    worlds.push(world);
    world.cluster.failOnce('get', secretType, 'KUBE_FORBIDDEN');
    world.start();
    expect((await world.ask('r', log))?.status).toMatchObject({ phase: 'Processed' });
    expect(world.download('r')?.status?.downloadURL).toBeUndefined();
    expect(world.cluster.all(eventType)).toHaveLength(1);
  });

  it('is answered also when Events are rejected', async () => {
    const world = new RequestWorld({ objects: [] });
    worlds.push(world);
    world.cluster.intercept(async (call, next) => {
      if (call.type.resource === 'events') throw new AppError('KUBE_FORBIDDEN', 'no events', { retry: 'later' });
      return await next();
    });
    world.start();
    await world.ask('r', log);
    await world.clock.advance(2_000);
    expect(world.download('r')?.status).toMatchObject({ phase: 'Processed' });
  });

  it('is retried when the API server fails, and gets no wrong reason', async () => {
    const world = new RequestWorld();
    worlds.push(world);
    for (let times = 0; times < 3; times++) world.cluster.failOnce('get', backupType, 'KUBE_UNAVAILABLE');
    world.start();
    expect((await world.ask('r', log))?.status).toBeUndefined();
    await world.clock.advance(5_000);
    expect(world.download('r')?.status?.downloadURL).toContain('nightly-logs.gz');
    expect(world.cluster.all(eventType)).toEqual([]);
  });

  it('is answered while another location hangs, however many requests wait for that location', async () => {
    const other = aBackupStorageLocation({ name: 'hangs' });
    const world = running({
      objects: [
        cloudCredentials(),
        aBackupStorageLocation(),
        other,
        aBackup(),
        aBackup('stuck', { storageLocation: 'hangs' }),
      ],
      sign: ({ name }, key, { signal }) => (name === 'hangs' ? hang(signal) : Promise.resolve(`http://x/${key}`)),
    });
    for (let index = 0; index < 40; index++)
      await world.cluster.create(
        downloadRequestType,
        aDownloadRequest(`stuck-${index}`, { kind: 'BackupLog', name: 'stuck' }),
      );
    await world.cluster.settle();
    expect((await world.ask('r', log))?.status?.downloadURL).toBe('http://x/backups/nightly/nightly-logs.gz');
    await world.clock.advance(16_000);
    const told = world.cluster
      .all(downloadRequestType)
      .filter(({ status }) => status?.downloadURL === undefined && status?.phase);
    expect(told.length).toBeGreaterThanOrEqual(4);
    expect(world.cluster.all(eventType)[0]?.message).toContain('no link could be made within 15s');
  });

  it('may be deleted by its client at any time', async () => {
    const world = running({
      sign: async (_, key) => {
        world.cluster.remove(downloadRequestType, { namespace, name: 'r' });
        return `http://x/${key}`;
      },
    });
    await world.ask('r', log);
    expect(world.download('r')).toBeUndefined();
    await world.clock.advance(700_000);
    expect(world.log.lines.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([]);
  });

  it('is answered by the next leader, which also deletes what the earlier one answered', async () => {
    const world = new RequestWorld();
    worlds.push(world);
    const first = world.start();
    await world.ask('early', log);
    await first.stop();
    await world.ask('late', log);
    expect(world.download('late')?.status).toBeUndefined();
    world.start();
    await world.cluster.settle();
    expect(world.download('late')?.status?.phase).toBe('Processed');
    await world.clock.advance(600_000);
    expect(world.cluster.all(downloadRequestType)).toEqual([]);
  });

  it('uses the credentials and the place that are current when it is created', async () => {
    const world = running({
      sign: async (location, key) => {
        const keys =
          location.provider === 's3' && 'accessKeyId' in location.credentials ? location.credentials : undefined;
        return `http://x/${location.bucket}/${keys?.accessKeyId}/${key}`;
      },
    });
    await world.ask('before', log);
    world.cluster.put(
      aSecret({
        name: 'cloud-credentials',
        namespace,
        values: { cloud: '[default]\naws_access_key_id=B\naws_secret_access_key=T\n' },
      }),
    );
    world.cluster.change(backupStorageLocationType, { namespace, name: 'default' }, ({ spec }) => {
      Object.assign(spec, { objectStorage: { bucket: 'moved' } });
    });
    expect((await world.ask('after', log))?.status?.downloadURL).toMatch(/^http:\/\/x\/moved\/B\//);
  });

  it('reports that its location has a customer key, which a link cannot contain', async () => {
    const config = { s3Url: 'https://s3.test', customerKeyEncryptionSecret: 'sse/key' };
    const key = 'k'.repeat(32);
    const world = running({
      objects: [
        cloudCredentials(),
        aSecret({ name: 'sse', namespace, values: { key } }),
        aBackupStorageLocation({ spec: { config } }),
        aBackup(),
      ],
      sign: async (location) => {
        const sent = location.provider === 's3' ? Buffer.from(location.customerKey ?? []).toString() : '';
        throw new AppError('SIGNED_URL_UNSUPPORTED', sent === key ? 'it is encrypted' : 'the store has no key');
      },
    });
    expect((await world.ask('r', log))?.status?.downloadURL ?? '').toBe('');
    const said = JSON.stringify([world.log.lines, world.cluster.all(eventType)]);
    expect(said).toContain('it is encrypted');
    expect(said).not.toContain(key);
  });

  it('of another namespace is ignored', async () => {
    const world = running();
    const request = aDownloadRequest('r', log);
    await world.cluster.create(downloadRequestType, { ...request, metadata: { name: 'r', namespace: 'default' } });
    await world.cluster.settle();
    expect(world.cluster.find(downloadRequestType, { namespace: 'default', name: 'r' })?.status).toBeUndefined();
  });

  it('is not handled after the process has ended: no watch and no timer is left', async () => {
    const world = running();
    await world.ask('r', log);
    await world.end();
    const calls = world.cluster.calls.length;
    await world.clock.advance(3_600_000);
    expect([world.cluster.calls.length, world.cluster.openWatches]).toEqual([calls, 0]);
  });
});
