import { describe, expect, it } from 'vitest';
import { nfsPlan } from './nfs-options.ts';

const soft = 'soft,timeo=100,retrans=2,actimeo=1';
const plan = (options?: string, server = 'nas') => nfsPlan({ server, path: 'export/a', options });

describe('nfsPlan', () => {
  it('is a soft mount, and tries the minor versions from the newest', () => {
    expect(plan()).toEqual({
      source: 'nas:/export/a',
      host: 'nas',
      versions: ['4.2', '4.1', '4.0'],
      options: `${soft},nosuid,nodev,noexec`,
    });
  });
  it.each([
    ['timeo=300,ro', 'soft,retrans=2,actimeo=1,timeo=300,ro'],
    ['softerr,noac', 'timeo=100,retrans=2,softerr,noac'],
    ['nfsvers=4.1', soft],
    ['sec=krb5p,port=2050,', `${soft},sec=krb5p,port=2050`],
  ])('keeps %s, and adds missing options', (options, all) => {
    expect(plan(options).options).toBe(`${all},nosuid,nodev,noexec`);
  });
  it.each([
    ['vers=4.1', ['4.1']],
    ['nfsvers=4.0', ['4.0']],
    ['minorversion=2', ['4.2']],
    ['vers=4', ['4.2', '4.1', '4.0']],
  ])('%s: tries %j', (options, versions) => expect(plan(options).versions).toEqual(versions));

  it.each([
    ...['hard', 'bg', 'bind', 'remount', 'suid', 'exec', 'dev', 'addr=1.2.3.4', '-o', 'a b', 'x-mount.mkdir', 'a=$(b)'],
    ...['vers=3', 'nfsvers=5', 'minorversion=3', 'vers=4.1,nfsvers=4.2', 'vers', 'ro\n'],
  ])('rejects the options %j', (options) => {
    expect(() => plan(options)).toThrow(
      expect.objectContaining({ code: 'BACKUP_TARGET_URL', message: expect.stringContaining('in nfsOptions') }),
    );
  });
  it.each(['-nas', 'a,b', 'a b', '[1.2.3.4]', '[x', '', 'a:b', 'näs', '--help'])('rejects the server %j', (server) => {
    expect(() => plan(undefined, server)).toThrow(expect.objectContaining({ code: 'BACKUP_TARGET_URL' }));
  });
  it('accepts an IPv6 address in brackets', () => {
    expect(plan(undefined, '[fd00::1]')).toMatchObject({ source: '[fd00::1]:/export/a', host: 'fd00::1' });
  });
});
