import { expect, it } from 'vitest';
import { addressRanges, routeRanges } from './host-ranges.ts';

it('returns every address and route of the host except those of its own link', () => {
  const addresses = [
    { ifname: 'eth0', addr_info: [{ local: '192.0.2.2', prefixlen: 24 }] },
    { ifname: 'lt-12345678', addr_info: [{ local: '198.18.0.1', prefixlen: 30 }] },
    { ifname: 'down0' },
  ];
  expect(addressRanges(addresses, 'lt-12345678')).toEqual(['192.0.2.2/24']);
  const routes = [{ dst: 'default', dev: 'eth0' }, { dst: '198.18.0.0/30', dev: 'lt-12345678' }, { dst: '10.0.0.0/8' }];
  expect(routeRanges(routes, 'lt-12345678')).toEqual(['default', '10.0.0.0/8']);
});
