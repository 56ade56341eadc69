import { describe, expect, it } from 'vitest';
import { longestPauseMs, orderReport, parseOrders } from './orders.ts';

describe('the comparison of orders', () => {
  it('reads only the order lines of the customer', () => {
    expect(parseOrders('1 1000\npsql: error 3 4\n2 1200\n3 ')).toEqual([
      { number: 1, atMs: 1000 },
      { number: 2, atMs: 1200 },
    ]);
  });
  it('names each acknowledged order that is missing', () => {
    const acknowledged = parseOrders('1 1000\n2 1200\n3 1300\n');
    expect(orderReport(acknowledged, new Set([1, 3, 4]))).toEqual({
      acknowledged: 3,
      found: 3,
      missing: [2],
      unacknowledged: 1,
    });
    expect(orderReport(acknowledged, new Set([1, 2, 3])).missing).toEqual([]);
  });
  it('finds the longest pause between two orders, or before the first or after the last', () => {
    const orders = parseOrders('1 1000\n2 1200\n3 5200\n4 5300\n');
    expect(longestPauseMs(orders, 900, 5_400)).toBe(4_000);
    expect(longestPauseMs(orders, 900, 12_000)).toBe(6_700);
    expect(longestPauseMs([], 100, 400)).toBe(300);
  });
});
