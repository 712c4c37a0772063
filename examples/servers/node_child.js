// Answers, and computes for 0.2 s within its event loop before every 20,000th answer.
process.on('message', (request) => {
  if (request.number % 20_000 === 19_999) {
    const until = Date.now() + 200;
    while (Date.now() < until);
  }
  process.send(request);
});
