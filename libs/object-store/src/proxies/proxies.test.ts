import { describe, expect, it } from 'vitest';
import { environmentProxies } from './proxies.ts';

const both = { HTTP_PROXY: 'http://plain.test:3128', HTTPS_PROXY: 'http://secure.test:3128' };
const [plain, secure] = ['http://plain.test:3128/', 'http://secure.test:3128/'];

describe('proxy selection', () => {
  it.each<[Record<string, string>, string, string | undefined]>([
    [{}, 'https://s3.test', undefined],
    [both, 'https://s3.test', secure],
    [both, 'http://s3.test', plain],
    [{ HTTP_PROXY: 'plain.test' }, 'https://s3.test', undefined],
    [{ HTTPS_PROXY: 'secure.test' }, 'http://s3.test', undefined],
    [{ https_proxy: 'small.test:1' }, 'https://s3.test', 'http://small.test:1/'],
    [{ HTTPS_PROXY: 'large.test:1', https_proxy: 'small.test:1' }, 'https://s3.test', 'http://large.test:1/'],
    [{ HTTPS_PROXY: '', https_proxy: 'small.test:1' }, 'https://s3.test', 'http://small.test:1/'],
    [{ HTTPS_PROXY: ' secure.test:3128 ' }, 'https://s3.test', secure],
    [{ HTTPS_PROXY: '10.0.0.1:3128' }, 'https://s3.test', 'http://10.0.0.1:3128/'],
    [{ HTTPS_PROXY: 'https://me:p%40ss@secure.test' }, 'https://s3.test', 'https://me:p%40ss@secure.test/'],
    [{ HTTPS_PROXY: 'me:pass@secure.test:3128' }, 'https://s3.test', 'http://me:pass@secure.test:3128/'],
    [both, 'https://localhost', undefined],
    [both, 'http://127.8.9.10:9000', undefined],
    [both, 'https://[::1]:9000', undefined],
    [both, 'https://localhost.test', secure],
    [both, 'https://128.0.0.1', secure],
  ])('%o selects %s for %s', (environment, url, expected) => {
    expect(environmentProxies(environment)(url)).toBe(expected);
  });

  it.each<[string, string, boolean]>([
    ['*', 'https://s3.test', true],
    ['a.test, *', 'https://s3.test', true],
    ['', 'https://s3.test', false],
    [' , ,', 'https://s3.test', false],
    ['example.com', 'https://example.com', true],
    ['example.com', 'https://s3.example.com:9000', true],
    ['example.com', 'https://otherexample.com', false],
    ['example.com', 'https://example.com.test', false],
    [' Example.COM ', 'https://S3.example.com', true],
    ['.example.com', 'https://s3.example.com', true],
    ['.example.com', 'https://example.com', false],
    ['*.example.com', 'https://a.b.example.com', true],
    ['*.example.com', 'https://example.com', false],
    ['*example.com', 'https://s3.example.com', false],
    ['.svc,.cluster.local', 'https://minio.velero.svc.cluster.local:9000', true],
    ['.svc,.cluster.local', 'http://minio.velero.svc', true],
    ['example.com:9000', 'https://example.com:9000', true],
    ['example.com:9000', 'https://example.com', false],
    ['example.com:443', 'https://s3.example.com', true],
    ['example.com:80', 'http://example.com', true],
    ['bücher.test', 'https://s3.xn--bcher-kva.test', true],
    ['10.1.2.3', 'https://10.1.2.3:9000', true],
    ['10.1.2.3', 'https://10.1.2.30', false],
    ['10.1.2.3:9000', 'https://10.1.2.3:9000', true],
    ['10.1.2.3:9000', 'https://10.1.2.3', false],
    ['10.0.0.0/8', 'https://10.200.3.4', true],
    ['10.0.0.0/8', 'https://11.0.0.1', false],
    ['10.96.7.9/12', 'https://10.111.255.255', true],
    ['10.96.0.0/12', 'https://10.112.0.0', false],
    ['10.0.0.0/33', 'https://10.0.0.0', false],
    ['10.0.0.0/8', 'https://ten.test', false],
    ['fd00::/8', 'https://[fd12:3456::1]:9000', true],
    ['fd00::/8', 'https://[fe80::1]', false],
    ['fd00::1', 'https://[fd00:0::1]', true],
    ['[fd00::1]', 'https://[fd00::1]:1', true],
    ['[fd00::1]:9000', 'https://[fd00::1]:9000', true],
    ['[fd00::1]:9000', 'https://[fd00::1]', false],
    ['fd00::/129', 'https://[fd00::]', false],
    [':9000', 'https://s3.test:9000', false],
    ['.', 'https://s3.test', false],
    ['a b,\u0000,s3.test', 'https://s3.test', true],
  ])('NO_PROXY "%s" excludes %s: %s', (list, url, excepted) => {
    expect(environmentProxies({ ...both, NO_PROXY: list })(url) === undefined).toBe(excepted);
    expect(environmentProxies({ ...both, no_proxy: list })(url) === undefined).toBe(excepted);
  });

  it('prefers NO_PROXY to no_proxy', () => {
    const proxyFor = environmentProxies({ ...both, NO_PROXY: 'a.test', no_proxy: 'b.test' });
    expect([proxyFor('https://a.test'), proxyFor('https://b.test')]).toEqual([undefined, secure]);
  });

  it.each([
    ['HTTPS_PROXY', 'me:sec%zzret@nowhere.test:1'],
    ['HTTPS_PROXY', 'me:secret@nowhere:x'],
    ['HTTPS_PROXY', 'http://'],
    ['https_proxy', 'socks5://me:secret@nowhere.test:1'],
  ])('an invalid proxy in %s is reported by variable name only, and only when used', (name, value) => {
    const proxyFor = environmentProxies({ [name]: value, NO_PROXY: '.svc' });
    expect(proxyFor('https://minio.velero.svc')).toBeUndefined();
    expect(() => proxyFor('https://s3.test')).toThrow(
      expect.objectContaining({
        code: 'PROXY_INVALID',
        message: `${name} of the environment is not the address of a proxy`,
        nextStep: expect.not.stringContaining('secret'),
      }),
    );
  });
});
