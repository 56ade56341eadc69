import { describe, expect, it } from 'vitest';
import { longestPauseMs, orderReport, parseOrders } from './orders.ts';

describe('what became of the orders', () => {
  it('is read from the lines of the customer, and from nothing else', () => {
    expect(parseOrders('1 1000\npsql: error 3 4\n2 1200\n3 ')).toEqual([
      { number: 1, atMs: 1000 },
      { number: 2, atMs: 1200 },
    ]);
  });
  it('names each order that was acknowledged and is not there', () => {
    const acknowledged = parseOrders('1 1000\n2 1200\n3 1300\n');
    expect(orderReport(acknowledged, new Set([1, 3, 4]))).toEqual({
      acknowledged: 3,
      found: 3,
      missing: [2],
      unacknowledged: 1,
    });
    expect(orderReport(acknowledged, new Set([1, 2, 3])).missing).toEqual([]);
  });
  it('has its longest pause between two orders, or at an end', () => {
    const orders = parseOrders('1 1000\n2 1200\n3 5200\n4 5300\n');
    expect(longestPauseMs(orders, 900, 5_400)).toBe(4_000);
    expect(longestPauseMs(orders, 900, 12_000)).toBe(6_700);
    expect(longestPauseMs([], 100, 400)).toBe(300);
  });
});
