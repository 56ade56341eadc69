/** A whole number with thousands separators: `300,000`. */
export const count = (amount: number): string => Math.round(amount).toLocaleString('en-US');
