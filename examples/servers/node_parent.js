// Four requests at a time to a child, over the channel that Node.js gives it (a pair of Unix-domain
// sockets); for 30 s.
const { fork } = require('child_process');

const child = fork(`${__dirname}/node_child.js`);
const end = Date.now() + 30_000;
let [answers, longest, number] = [0, 0, 0];

function ask() {
  child.send({ number: number++, asked: Date.now() });
}

child.on('message', ({ asked }) => {
  answers++;
  longest = Math.max(longest, Date.now() - asked);
  if (Date.now() < end) ask();
  else if (child.connected) child.disconnect();
});
child.on('exit', () => console.log(`${answers} answers, the longest took ${longest} ms`));
for (let at = 0; at < 4; at++) ask();
