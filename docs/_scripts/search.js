// A search takes "^" for the weight of a word, so that "k^m" found nothing; search_hook.py writes the index in the same way.
const printed = { "k^(m,n)": "kᵐⁿ", "k^m": "kᵐ", "l^m": "lᵐ" };
const send = Worker.prototype.postMessage;
Worker.prototype.postMessage = function (message, ...rest) {
  if (message && typeof message.data === "string") {
    let query = message.data.toLowerCase();
    for (const typed in printed) query = query.replaceAll(typed, printed[typed]);
    message = { ...message, data: query };
  }
  return send.call(this, message, ...rest);
};
