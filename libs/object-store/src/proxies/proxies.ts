import { BlockList, isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { AppError } from '@lateen/errors';

/**
 * The address of the proxy (`http://user:password@proxy.test:3128`, a secret) that a request to a URL goes by; undefined for
 * none. Only scheme, host and port of the URL count. @throws PROXY_INVALID when that proxy has no address
 */
export type ProxyFor = (url: string) => string | undefined;

type Variables = Readonly<Record<string, string | undefined>>;
type Exception = (host: string, port: string) => boolean;

/** Whether people may name a proxy or not, one that is local or of the machine itself is asked directly. */
const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

/**
 * HTTP_PROXY, HTTPS_PROXY and NO_PROXY, in capitals before small letters, with the rules of Go (package httpproxy of
 * golang.org/x/net). kopia and restic are written in Go and get the same variables: engine and store must decide alike, or one
 * of them cannot reach a location that the other can. What undici reads of NO_PROXY by itself has no ranges of addresses.
 */
export function environmentProxies(variables: Variables): ProxyFor {
  const exceptions = exceptionsIn(variableOf(variables, 'NO_PROXY').value);
  return (url) => {
    const { protocol, hostname, port } = new URL(url);
    const { name, value } = variableOf(variables, protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY');
    if (value === '') return undefined;
    const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
    if (host === 'localhost' || isIn(loopback, host)) return undefined;
    const asked = port || (protocol === 'https:' ? '443' : '80');
    return exceptions.some((holds) => holds(host, asked)) ? undefined : addressIn(name, value);
  };
}

function variableOf(variables: Variables, capitals: string): { name: string; value: string } {
  const name = [capitals, capitals.toLowerCase()].find((either) => variables[either]?.trim()) ?? capitals;
  return { name, value: variables[name]?.trim() ?? '' };
}

function addressIn(name: string, value: string): string {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`);
  if (url !== null && /^https?:$/.test(url.protocol) && isDecodable(url)) return url.href;
  // The value may have a password in it.
  throw new AppError('PROXY_INVALID', `${name} of the environment is not the address of a proxy`, {
    retry: 'later',
    nextStep: `Set ${name} to http://HOST:PORT; special characters of a user's name or password are percent-encoded.`,
  });
}

function isDecodable({ username, password }: URL): boolean {
  try {
    decodeURIComponent(username + password);
    return true;
  } catch {
    return false;
  }
}

function exceptionsIn(list: string): Exception[] {
  const entries = list.split(',').map((entry) => entry.trim().toLowerCase());
  return entries.filter((entry) => entry !== '').map(exceptionIn);
}

function exceptionIn(entry: string): Exception {
  if (entry === '*') return () => true;
  const [, network = '', bits = ''] = /^([^/]+)\/(\d{1,3})$/.exec(entry) ?? [];
  if (isIP(network) !== 0 && Number(bits) <= (isIP(network) === 4 ? 32 : 128)) {
    const range = new BlockList();
    range.addSubnet(network, Number(bits), familyOf(network));
    return (host) => isIn(range, host);
  }
  const { name, port } = splitPort(entry);
  const isPort = (asked: string) => port === '' || port === asked;
  if (isIP(name) !== 0) {
    const one = new BlockList();
    one.addAddress(name, familyOf(name));
    return (host, asked) => isIn(one, host) && isPort(asked);
  }
  const domain = /[/?#@\\]/.test(name) ? '' : domainOf(name.replace(/^\*(?=\.)/, ''));
  if (domain === '' || domain === '.') return () => false;
  const isBelow = (host: string) => host.endsWith(domain.startsWith('.') ? domain : `.${domain}`);
  return (host, asked) => (host === domain || isBelow(host)) && isPort(asked);
}

/** `[::1]:80`, `example.com:80`; an IPv6 address without brackets has no port. */
function splitPort(entry: string): { name: string; port: string } {
  const [, name = entry, port = ''] = /^(\[[^\]]*\]|[^:]*):(\d+)$/.exec(entry) ?? [];
  return { name: name.replace(/^\[|\]$/g, ''), port };
}

/** As URLs write it. */
const domainOf = (name: string): string =>
  name.startsWith('.') ? `.${domainToASCII(name.slice(1))}` : domainToASCII(name.replace(/\.$/, ''));

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 4 ? 'ipv4' : 'ipv6');

const isIn = (range: BlockList, host: string): boolean => isIP(host) !== 0 && range.check(host, familyOf(host));
