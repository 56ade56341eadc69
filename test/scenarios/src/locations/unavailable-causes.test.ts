import { AppError } from '@lateen/errors';
import { describe, expect, it } from 'vitest';
import { type Answer, aLocation, cloudSecret, locationWorld, secretValue } from './location-world.ts';

/** An error as a store could return it; the errors of real stores are in bad-servers*.test.ts. */
const unreachable = (cause: string, nextStep: string) =>
  new AppError('OBJECT_STORE_UNAVAILABLE', 'object store https://s3.test cannot be reached', {
    retry: 'later',
    cause: new Error(cause),
    nextStep,
  });
const forbidden = (said: string, nextStep: string) =>
  new AppError('OBJECT_STORE_FORBIDDEN', `bucket "backups" at s3.test refuses access (${said})`, { nextStep });

const rows: [string, Answer, string][] = [
  [
    'the name does not resolve',
    unreachable('getaddrinfo ENOTFOUND s3.test', 'The host name does not resolve; check s3Url.'),
    'object store https://s3.test cannot be reached: getaddrinfo ENOTFOUND s3.test. The host name does not resolve; check s3Url.',
  ],
  [
    'nobody listens',
    unreachable('connect ECONNREFUSED 10.0.0.1:443', 'Nothing listens there; check host and port of s3Url.'),
    'object store https://s3.test cannot be reached: connect ECONNREFUSED 10.0.0.1:443. Nothing listens there; check host and port of s3Url.',
  ],
  [
    'the certificate is not trusted',
    unreachable(
      'self-signed certificate',
      'Its certificate is not trusted; give its authority in objectStorage.caCertRef.',
    ),
    'object store https://s3.test cannot be reached: self-signed certificate. Its certificate is not trusted; give its authority in objectStorage.caCertRef.',
  ],
  [
    'access is refused',
    forbidden(
      'AccessDenied: Access Denied',
      'Check the keys in the Secret and what their owner may do with the bucket.',
    ),
    'bucket "backups" at s3.test refuses access (AccessDenied: Access Denied). Check the keys in the Secret and what their owner may do with the bucket.',
  ],
  [
    'the clock is wrong',
    forbidden('RequestTimeTooSkewed: The difference is too large', 'Set the clock of the node.'),
    'bucket "backups" at s3.test refuses access (RequestTimeTooSkewed: The difference is too large). Set the clock of the node.',
  ],
  [
    'there is no such bucket',
    new AppError('BUCKET_NOT_FOUND', 'bucket "backups" at s3.test does not exist (NoSuchBucket)', {
      nextStep: 'Create the bucket, or correct its name.',
    }),
    'bucket "backups" at s3.test does not exist (NoSuchBucket). Create the bucket, or correct its name.',
  ],
  [
    'the region is wrong or missing',
    new AppError('OBJECT_STORE_BAD_ANSWER', 'bucket "backups" at s3.test cannot be used with region "" (HTTP 301)', {
      nextStep: 'Set config.region to the region of the bucket. The bucket is in eu-west-1.',
    }),
    'bucket "backups" at s3.test cannot be used with region "" (HTTP 301). Set config.region to the region of the bucket. The bucket is in eu-west-1.',
  ],
  [
    'one other directory is there',
    ['backups', 'photos'],
    'Backup store contains invalid top-level directories: [photos]. Use a bucket or prefix of its own for backups.',
  ],
  [
    'three other directories are there',
    ['c', 'kopia', 'b', 'a'],
    'Backup store contains invalid top-level directories: [a b c]. Use a bucket or prefix of its own for backups.',
  ],
  [
    'many other directories are there',
    ['d', 'c', 'b', 'a', 'restores'],
    'Backup store contains 4 invalid top-level directories: [a b c ...]. Use a bucket or prefix of its own for backups.',
  ],
  [
    'a signed URL is in what the store says',
    new Error(`GET https://x.test/y?sv=1&sig=${secretValue} failed`),
    'GET https://x.test/y?sv=***&sig=*** failed',
  ],
  [
    'keys are in the address that it says',
    new Error(`connect to https://user:${secretValue}@proxy.test:3128 failed`),
    'connect to https://***@proxy.test:3128 failed',
  ],
  ['it says nothing', new Error(''), 'Error'],
  ['it says many lines', new Error('<html>\n<body>\t500</body>'), '<html> <body> 500</body>'],
];

describe('an unavailable location', () => {
  it.each(rows)('reports the cause when %s', async (_, answer, message) => {
    const world = locationWorld(cloudSecret(), aLocation());
    world.answers.set('default', answer);
    await world.start();
    const said = `BackupStorageLocation "default" is unavailable: ${message}`;
    expect(world.status()).toMatchObject({ phase: 'Unavailable', message: said });
    expect(world.events()).toEqual([`Unavailable: ${said}`]);
    expect(world.open).toBe(0);
  });

  it('cuts its message to 4096 characters, however long the error is', async () => {
    const world = locationWorld(cloudSecret(), aLocation());
    world.answers.set('default', new Error('x'.repeat(1_000_000)));
    await world.start();
    expect(world.status()?.message).toHaveLength(4_096);
  });

  it('logs and reports each new cause once, not at each validation', async () => {
    const world = locationWorld(cloudSecret(), aLocation());
    world.answers.set('default', new Error('first'));
    await world.start({ defaultLocation: '' });
    await world.clock.advance(120_000);
    world.answers.set('default', new Error('second'));
    await world.clock.advance(120_000);
    const warnings = world.log.lines.filter(({ message }) => message === 'the location is unavailable');
    expect(warnings.map(({ fields }) => fields.reason)).toEqual([
      'BackupStorageLocation "default" is unavailable: first',
      'BackupStorageLocation "default" is unavailable: second',
    ]);
    world.answers.delete('default');
    await world.clock.advance(60_000);
    expect(world.status()).toMatchObject({ phase: 'Available', message: '' });
    expect(world.events()).toEqual([
      'Unavailable: BackupStorageLocation "default" is unavailable: second',
      'Available: the location can be used',
    ]);
  });

  it('is written again at each validation, with its time', async () => {
    const world = locationWorld(cloudSecret(), aLocation());
    world.answers.set('default', new Error('no'));
    await world.start();
    const before = Date.parse(world.status()?.lastValidationTime ?? '');
    await world.clock.advance(60_000);
    expect(Date.parse(world.status()?.lastValidationTime ?? '')).toBeGreaterThanOrEqual(before + 45_000);
  });
});
