/** Whole, with its thousands parted: `300,000`. */
export const count = (amount: number): string => Math.round(amount).toLocaleString('en-US');
