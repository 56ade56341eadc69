import { proxiedAgent } from '@lateen/object-store/proxied-agent';
import { behaviours, faultServer } from '@lateen/testing';
import { request } from 'undici';
import { expect, it } from 'vitest';

it.each<[string, (() => undefined) | undefined]>([
  ['without proxies', undefined],
  ['with a proxy for other hosts', () => undefined],
])('uses HTTP/1.1 with a server that prefers HTTP/2, %s', async (_title, proxyFor) => {
  const server = await faultServer();
  const agent = proxiedAgent({ connect: { timeout: 5_000, ca: server.ca } }, proxyFor);
  try {
    server.next(behaviours.answers(200, 'ok'));
    const answer = await request(server.url, { dispatcher: agent });
    expect(await answer.body.text()).toBe('ok');
  } finally {
    await agent.destroy();
    await server.close();
  }
});
